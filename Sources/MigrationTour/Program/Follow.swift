import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// `--follow`: counts one file while it grows, until Ctrl-C.
///
/// `watchFile` calls a closure for each chunk. The closure's chunks become a stream, and a loop iterates the stream.
enum Follow {
    /// Shows each count, then the total.
    static func run(_ path: String, limits: Limits) async throws {
        let interrupt = Interrupt()
        defer { interrupt.stop() }
        let chunks = chunks(of: path, limits: limits, until: interrupt.token)
        let line = LiveLine()
        var total = Counts()
        // If the terminal is slower than the file, only the newest counts matter.
        for try await counts in chunks.counted().values(buffering: .newest(1)) {
            total = counts
            line.show("\(counts.summary)  \(path.printable)")
        }
        line.end()
        print("total: \(total.summary)")
    }

    /// The chunks that are appended.
    ///
    /// Canceling the token stops the watcher. The stream still delivers what was appended before, then finishes.
    private static func chunks(of path: String, limits: Limits, until token: CancelToken) -> FutureStream<Data> {
        futureStream(method: { chunk, completion in
            let request = watchFile(at: path, chunkSize: limits.chunkSize, chunk: chunk, completion: completion)
            token.onCancel { request.cancel() }
        })
    }
}

extension FutureStream<Data> {
    /// The counts so far, after each chunk.
    ///
    /// Each chunk is counted where it arrives, so that chunks don't pile up in front of a slower queue.
    func counted() -> FutureStream<Counts> {
        scan(Counter(), context: ImmediateContext()) { $0.adding($1) }
            .map(context: ImmediateContext()) { $0.counts }
    }
}

/// Rewrites one line of a terminal, or prints a line each time if the output isn't a terminal.
private struct LiveLine {
    private let isTerminal = isatty(STDOUT_FILENO) == 1

    func show(_ text: String) {
        write(isTerminal ? "\r\u{1B}[K\(text)" : "\(text)\n")
    }

    func end() {
        if isTerminal { write("\n") }
    }

    // Unbuffered, so that a program that reads the output sees each line at once.
    private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}

extension Counts {
    fileprivate var summary: String { "\(lines) lines  \(words) words  \(bytes) bytes" }
}
