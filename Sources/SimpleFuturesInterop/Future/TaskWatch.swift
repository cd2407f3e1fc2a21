import SimpleFutures

/// The futures of running tasks: one future and one waiting task for each, shared by all callers.
///
/// A wait for another task cannot be canceled, so without sharing each waiting task would live as long as the task it
/// waits for.
enum TaskWatch {
    private static let watched = Lock<[AnyHashable: AnyFuture]>([:])

    /// The future of a task's result.
    ///
    /// - Parameters:
    ///   - task: The task. It is raised to the priority of the wait.
    ///   - priority: The priority to wait with.
    static func future<Success, Failure>(
        of task: Task<Success, Failure>, priority: TaskPriority
    ) -> Future<Success> {
        let key = AnyHashable(task)
        let new = Future<Success>()
        let known = watched.withLock { watched -> AnyFuture? in
            if let known = watched[key] { return known }
            watched[key] = new
            return nil
        }
        if let known {
            if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                known.raise(to: priority)
            }
            // The key contains the type of the task.
            return known.future(of: Success.self)
        }
        let waiting = Task<Void, Never>.detached(priority: priority) {
            let result = await task.result
            // Both references are released here, not under the lock.
            let entry = watched.withLock { watched in
                watched.index(forKey: AnyHashable(task)).map { watched.remove(at: $0) }
            }
            _ = consume entry
            let end = Try(result)
            new.settle(end.error.map { .failure(original($0)) } ?? end)
        }
        new.setWorker(.task(waiting))
        return new
    }
}
