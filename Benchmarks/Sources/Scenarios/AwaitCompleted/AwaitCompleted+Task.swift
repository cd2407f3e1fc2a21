extension AwaitCompleted {
    /// A task that may throw, as a future may fail.
    @concurrent
    static func tasks(_ count: Int) async throws {
        let task = Task<Int, any Error> { 1 }
        _ = try await task.value
        for _ in 0..<count { blackHole(try await task.value) }
    }

    @MainActor
    static func tasksOnMain(_ count: Int) async throws {
        let task = Task<Int, any Error> { 1 }
        _ = try await task.value
        for _ in 0..<count { blackHole(try await task.value) }
    }
}
