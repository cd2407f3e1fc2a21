import SimpleFutures
import SimpleFuturesInterop

/// Stage 3: the same futures, awaited.
///
/// What happens to one file reads from top to bottom: `map` is the next line, `recover` is `catch`. The functions that
/// return futures need not change, and neither do their other callers.
struct Stage3Await: Sendable {
    let job: Job

    func counts(of file: InputFile) async throws -> Counts {
        let token = CancelToken()
        // The loop is in a task of its own, which is not canceled with ours. It ends when the file is closed.
        return try await Future {
            var counts = Counts()
            let chunks = Stage2Futures(job: job).chunks(of: file, until: token)
            // A stream does not wait for a loop: if the loop is slower than the file, only the newest counts matter.
            for try await newest in chunks.counted().values(buffering: .newest(1)) { counts = newest }
            return counts
        }.value(cancelling: token)
    }

    func checksum(of file: InputFile) async throws -> Checksum {
        let token = CancelToken()
        return try await Stage2Futures(job: job).checksum(of: file, until: token).value(cancelling: token)
    }

    func row(for file: InputFile) async -> Row {
        let token = CancelToken()
        let counts = job.counts(of: file, until: token)
        let checksum = job.checksum(of: file, until: token)
        do {
            let both = zip(counts, checksum).timeout(job.limits.timeout)
            let (counts, checksum) = try await both.value(cancelling: token)
            return try Row(file, counts, checksum)
        } catch {
            token.cancel()
            // A stopped call holds its descriptors until it has ended; so long the next file does not start.
            _ = await (counts.outcome(cancelling: token), checksum.outcome(cancelling: token))
            return job.errorRow(for: file, error)
        }
    }

    func rows(for files: [InputFile]) async -> [Row] {
        let token = CancelToken()
        let rows = files.traverse(maxConcurrent: job.limits.jobs) { job.row(for: $0, until: token) }
        do {
            return try await rows.value(cancelling: token)
        } catch { return files.map { job.errorRow(for: $0, error) } }
    }
}
