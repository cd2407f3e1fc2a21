import Foundation
import SimpleFutures

/// Stage 2: the same calls as futures.
///
/// What stage 1 writes by hand is now a combinator each.
enum Stage2Futures {
    // Named, because the default context is the main queue. That suits an app; a command-line tool serves its main
    // queue only while `main` is suspended. The closures below are short, so they run where the answer arrives.
    static let context = ImmediateContext()

    /// The files' rows, in the files' order.
    static func rows(for files: [InputFile], limits: Limits) -> Future<[Row]> {
        files.traverse(maxConcurrent: limits.jobs, context: context) { row(for: $0, limits: limits) }
    }

    private static func row(for file: InputFile, limits: Limits) -> Future<Row> {
        let token = CancelToken()
        let counts = chunks(of: file, limits: limits, until: token)
            .reduce(Counter(), context: context) { $0.adding($1) }
            .map(context: context) { $0.counts }
        let checksum = checksum(of: file, limits: limits, until: token)
        let row = zip(counts, checksum)
            .timeout(limits.timeout, context: context)
            .map(context: context) { counts, checksum in try Row(file, counts, checksum) }
            .recover(context: context) { error in
                // The failure has detached us from a call that is still under way; the token stops the call itself.
                token.cancel()
                return Row(file, failure: reason(error, limits: limits))
            }
        // A stopped call holds its descriptors until it has ended; so long the next file does not start.
        return zip(row, end(of: counts), end(of: checksum)).map(context: context) { row, _, _ in row }
    }

    private static func end<T: Sendable>(of call: Future<T>) -> Future<Void> {
        call.map(context: context) { _ in }.recover(context: context) { _ in }
    }
}

// MARK: - The legacy functions, wrapped once

extension Stage2Futures {
    /// The pieces of the file, as they are read.
    ///
    /// The stream keeps them until somebody subscribes. As nobody keeps the stream itself, it then keeps none.
    static func chunks(of file: InputFile, limits: Limits, until token: CancelToken) -> FutureStream<Data> {
        futureStream(method: { chunk, completion in
            let request = readFile(
                at: file.path, chunkSize: limits.chunkSize, chunk: chunk, completion: completion)
            token.onCancel { request.cancel() }
        })
    }

    static func checksum(of file: InputFile, limits: Limits, until token: CancelToken) -> Future<Checksum> {
        future(method: { completion in
            let request = runChecksum(of: file.path, program: limits.checksumProgram, completion: completion)
            token.onCancel { request.cancel() }
        })
    }

    /// The library's error in the words of this program.
    static func reason(_ error: any Error, limits: Limits) -> any Error {
        if case FuturesError.timedOut = error { FileError.timedOut(after: limits.timeout) } else { error }
    }
}
