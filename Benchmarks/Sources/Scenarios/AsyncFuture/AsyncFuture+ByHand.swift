extension AsyncFuture {
    /// With a continuation: several tasks can wait, cancellation ends the wait, and the task gets the priority of its
    /// waiter.
    @concurrent
    static func continuations(_ count: Int) async throws {
        for value in 0..<count {
            let cell = ContinuationCell()
            let task = Task {
                do { cell.complete(try await number(value)) } catch { cell.complete(with: .failure(error)) }
            }
            blackHole(try await wait(for: cell, of: task))
        }
    }

    private static func wait(for cell: ContinuationCell, of task: Task<Void, Never>) async throws -> Int {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return try await cell.wait() }
        return try await withTaskPriorityEscalationHandler {
            task.escalatePriority(to: Task.currentPriority)
            return try await cell.wait()
        } onPriorityEscalated: { _, priority in
            task.escalatePriority(to: priority)
        }
    }
}
