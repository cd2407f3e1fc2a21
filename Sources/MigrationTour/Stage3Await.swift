import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// Stage 3: await.
///
/// `map` becomes the next line, `recover` becomes `catch`, `reduce` becomes a loop. The wrappers of the API don't change.
struct Stage3Await: Sendable {
    let limits: Limits

    func rows(for files: [InputFile]) async throws -> [Row] {
        let token = CancelToken()
        let rows = files.traverse(maxConcurrent: limits.jobs) { file in
            Future { await row(for: file, until: token) }
        }
        return try await rows.value(cancelling: token)
    }

    func row(for file: InputFile, until token: CancelToken) async -> Row {
        let calls = token.child()
        let counts = Future { try await self.counts(of: file, until: calls) }
        let checksum = checksum(of: file, until: calls)
        do {
            let (counts, checksum) = try await zip(counts, checksum).timeout(limits.timeout).value
            return try Row(file, counts, checksum)
        } catch {
            calls.cancel()
            // A canceled call holds its descriptors until it ends. The row is passed on after that.
            _ = await (counts.outcome, checksum.outcome)
            return Row(file, failure: error)
        }
    }

    func counts(of file: InputFile, until token: CancelToken) async throws -> Counts {
        var counter = Counter()
        // A stream doesn't wait for its loop. Count where the chunks arrive, and loop over the newest count.
        let counters = chunks(of: file, until: token).scan(Counter(), context: ImmediateContext()) { $0.adding($1) }
        for try await newest in counters.values(buffering: .newest(1)) { counter = newest }
        return counter.counts
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
