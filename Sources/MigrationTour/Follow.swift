import Dispatch
import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// `--follow`: counts one file while it grows, until Ctrl-C.
///
/// Callbacks at one end, a loop at the other: what `watchFile` calls back with is a stream, and the stream is iterated.
enum Follow {
    /// Shows the counts while they change, then the total.
    static func run(_ path: String, limits: Limits) async throws {
        let token = CancelToken()
        let interrupt = Interrupt { token.cancel() }
        var total = Counts()
        let line = LiveLine()
        // If the terminal is slower than the file, only the newest counts matter.
        for try await counts in counts(of: path, limits: limits, until: token).values(buffering: .newest(1)) {
            total = counts
            line.show("\(counts.summary)  \(path.printable)")
        }
        line.end()
        interrupt.stop()
        print("total: \(total.summary)")
    }

    /// The counts so far, anew for each piece that was appended.
    ///
    /// Cancelling the token stops the watching, not the stream: what has been appended by then is still counted, and then the
    /// stream finishes.
    private static func counts(of path: String, limits: Limits, until token: CancelToken) -> FutureStream<Counts> {
        futureStream(method: { chunk, completion in
            let request = watchFile(at: path, chunkSize: limits.chunkSize, chunk: chunk, completion: completion)
            token.onCancel { request.cancel() }
        })
        .scan(Counter(), context: ImmediateContext()) { $0.adding($1) }
        .map(context: ImmediateContext()) { $0.counts }
    }
}

/// Calls back when the user presses Ctrl-C, instead of ending the program.
private final class Interrupt {
    private let source: any DispatchSourceSignal

    init(_ action: @escaping @Sendable () -> Void) {
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler(handler: action)
        source.activate()
    }

    func stop() { source.cancel() }
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
