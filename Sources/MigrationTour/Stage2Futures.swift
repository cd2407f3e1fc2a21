import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// Stage 2: futures.
///
/// Each call of the API is wrapped once. Combinators replace what stage 1 writes by hand.
struct Stage2Futures: Sendable {
    let limits: Limits

    func rows(for files: [InputFile], until token: CancelToken) -> Future<[Row]> {
        files.traverse(maxConcurrent: limits.jobs) { row(for: $0, until: token) }
    }

    func row(for file: InputFile, until token: CancelToken) -> Future<Row> {
        let calls = token.child()
        let counts = counts(of: file, until: calls)
        let checksum = checksum(of: file, until: calls)
        let row = zip(counts, checksum)
            .timeout(limits.timeout)
            .map { counts, checksum in try Row(file, counts, checksum) }
            .recover { error in
                calls.cancel()
                return Row(file, failure: error)
            }
        // A canceled call holds its descriptors until it ends. The row is passed on after that.
        return zip(row, counts.materialize(), checksum.materialize()).map { row, _, _ in row }
    }

    func counts(of file: InputFile, until token: CancelToken) -> Future<Counts> {
        chunks(of: file, until: token)
            .reduce(Counter(), context: ImmediateContext()) { $0.adding($1) }
            .map { $0.counts }
    }

    func chunks(of file: InputFile, until token: CancelToken) -> FutureStream<Data> {
        futureStream(method: { chunk, completion in
            let request = readFile(at: file.path, chunkSize: limits.chunkSize, chunk: chunk, completion: completion)
            token.onCancel { request.cancel() }
        })
    }

    func checksum(of file: InputFile, until token: CancelToken) -> Future<Checksum> {
        future(cancelToken: token, onCancel: .wait) {
            runChecksum(of: file.path, program: limits.checksumProgram, completion: $0)
        }
    }
}
