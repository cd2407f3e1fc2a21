import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// `--follow`: counts one file while it grows, until Ctrl-C.
///
/// Callbacks at one end, a loop at the other: what `watchFile` calls back with is a stream, and the stream is iterated.
enum Follow {
    /// Shows the counts while they change, then the total.
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

    /// The pieces that are appended.
    ///
    /// Canceling the token stops the watching, not the stream: what has been appended by then still comes, and then
    /// the stream finishes.
    private static func chunks(of path: String, limits: Limits, until token: CancelToken) -> FutureStream<Data> {
        futureStream(method: {
            watchFile(at: path, chunkSize: limits.chunkSize, chunk: $0, completion: $1).stop(by: token)
        })
    }
}

extension FutureStream<Data> {
    /// The counts so far, anew for each piece.
    ///
    /// A piece is counted where it arrives: on another queue, pieces would pile up if they came faster.
    func counted() -> FutureStream<Counts> {
        scan(Counter(), context: ImmediateContext()) { $0.adding($1) }
            .map(context: ImmediateContext()) { $0.counts }
    }
}

/// One line of a terminal that changes; anything else gets a line each time.
private struct LiveLine {
    private let isTerminal = isatty(STDOUT_FILENO) == 1

    func show(_ text: String) {
        write(isTerminal ? "\r\u{1B}[K\(text)" : "\(text)\n")
    }

    func end() {
        if isTerminal { write("\n") }
    }

    // At once: a program that reads this must not wait until a buffer is full.
    private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}

extension Counts {
    fileprivate var summary: String { "\(lines) lines  \(words) words  \(bytes) bytes" }
}
