import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// Stage 2: the same calls as futures.
///
/// The legacy functions are wrapped, a line each. What stage 1 writes by hand is now a combinator each.
struct Stage2Futures: Sendable {
    let job: Job

    func counts(of file: InputFile, until token: CancelToken) -> Future<Counts> {
        // A piece is counted where it arrives: on another queue, pieces would pile up if they came faster.
        chunks(of: file, until: token)
            .reduce(Counter(), context: ImmediateContext()) { $0.adding($1) }
            .map { $0.counts }
    }

    /// The pieces of the file, as they are read.
    ///
    /// The stream keeps them until somebody subscribes. As nobody keeps the stream itself, it then keeps none.
    func chunks(of file: InputFile, until token: CancelToken) -> FutureStream<Data> {
        futureStream(method: {
            readFile(at: file.path, chunkSize: job.limits.chunkSize, chunk: $0, completion: $1).stop(by: token)
        })
    }

    func checksum(of file: InputFile, until token: CancelToken) -> Future<Checksum> {
        future(cancelToken: token, onCancel: .wait) {
            runChecksum(of: file.path, program: job.limits.checksumProgram, completion: $0).handle
        }
    }

    func row(for file: InputFile, until token: CancelToken) -> Future<Row> {
        let calls = token.child()
        let counts = job.counts(of: file, until: calls)
        let checksum = job.checksum(of: file, until: calls)
        let row = zip(counts, checksum)
            .timeout(job.limits.timeout)
            .map { counts, checksum in try Row(file, counts, checksum) }
            .recover { error in
                // The failure has detached us from a call that is still under way; the token stops the call itself.
                calls.cancel()
                return job.errorRow(for: file, error)
            }
        // A stopped call holds its descriptors until it has ended; so long the next file does not start.
        return zip(row, counts.materialize(), checksum.materialize()).map { row, _, _ in row }
    }

    func rows(for files: [InputFile], until token: CancelToken) -> Future<[Row]> {
        files.traverse(maxConcurrent: job.limits.jobs) { job.row(for: $0, until: token) }
    }
}
