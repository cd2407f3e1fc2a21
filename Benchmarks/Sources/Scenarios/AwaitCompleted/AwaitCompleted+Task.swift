extension AwaitCompleted {
    /// A throwing task, because a future can fail as well.
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
