import SimpleFuturesFoundation

/// Stage 4: structured concurrency.
///
/// Each call is a child task. A group that fails, times out or is canceled cancels its children and waits for them. The
/// API has async overloads now, so nothing is wrapped: no future and no token is left.
struct Stage4Structured: Sendable {
    let limits: Limits

    func rows(for files: [InputFile]) async -> [Row] {
        await withTaskGroup(of: (index: Int, row: Row).self) { group in
            var rows = [Row?](repeating: nil, count: files.count)
            for (index, file) in files.enumerated() {
                if index >= limits.jobs, let done = await group.next() { rows[done.index] = done.row }
                group.addTask { (index, await row(for: file)) }
            }
            for await done in group { rows[done.index] = done.row }
            return rows.compactMap { $0 }
        }
    }

    func row(for file: InputFile) async -> Row {
        do {
            return try await withThrowingTaskGroup(of: (Counts?, Checksum?).self) { group in
                group.addTask { (try await self.counts(of: file), nil) }
                group.addTask { (nil, try await self.checksum(of: file)) }
                group.addTask {
                    try await Task.sleep(for: limits.timeout)
                    throw FileError.timedOut(after: limits.timeout)
                }
                defer { group.cancelAll() }
                var (counts, checksum): (Counts?, Checksum?)
                for try await answer in group {
                    (counts, checksum) = (counts ?? answer.0, checksum ?? answer.1)
                    if let counts, let checksum { return try Row(file, counts, checksum) }
                }
                throw CancellationError()
            }
        } catch { return Row(file, failure: error) }
    }

    func counts(of file: InputFile) async throws -> Counts {
        var counter = Counter()
        for try await chunk in try readFile(at: file.path, chunkSize: limits.chunkSize) { counter.add(chunk) }
        return counter.counts
    }

    func checksum(of file: InputFile) async throws -> Checksum {
        try await runChecksum(of: file.path, program: limits.checksumProgram)
    }
}
