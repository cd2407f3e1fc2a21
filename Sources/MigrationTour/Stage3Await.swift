import SimpleFutures
import SimpleFuturesInterop

/// Stage 3: the same futures, awaited.
///
/// What happens to one file reads from top to bottom: `map` is the next line, `recover` is `catch`. The functions that
/// return futures need not change, and neither do their other callers.
enum Stage3Await {
    /// The files' rows, in the files' order.
    static func rows(for files: [InputFile], limits: Limits) async -> [Row] {
        await withTaskGroup(of: (index: Int, row: Row).self) { group in
            var rows = [Row?](repeating: nil, count: files.count)
            for (index, file) in files.enumerated() {
                if index >= limits.jobs, let done = await group.next() { rows[done.index] = done.row }
                group.addTask { (index, await row(for: file, limits: limits)) }
            }
            for await done in group { rows[done.index] = done.row }
            return rows.compactMap { $0 }
        }
    }

    private static func row(for file: InputFile, limits: Limits) async -> Row {
        let token = CancelToken()
        let checksum = Stage2Futures.checksum(of: file, limits: limits, until: token)
        // Until a task can be a future in one line, a promise takes its result.
        let counts = Promise<Counts>()
        Task {
            do {
                counts.success(try await Self.counts(of: file, limits: limits, until: token))
            } catch { counts.failure(error) }
        }
        do {
            let both = zip(counts.future, checksum).timeout(limits.timeout, context: Stage2Futures.context)
            let (counts, checksum) = try await both.value
            return try Row(file, counts, checksum)
        } catch {
            token.cancel()
            // A stopped call holds its descriptors until it has ended; so long the next file does not start.
            _ = await (counts.future.outcome, checksum.outcome)
            return Row(file, failure: Stage2Futures.reason(error, limits: limits))
        }
    }

    private static func counts(of file: InputFile, limits: Limits, until token: CancelToken) async throws -> Counts {
        var counter = Counter()
        for try await chunk in Stage2Futures.chunks(of: file, limits: limits, until: token).values {
            counter.add(chunk)
        }
        return counter.counts
    }
}
