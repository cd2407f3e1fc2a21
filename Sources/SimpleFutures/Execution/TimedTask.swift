/// The task of a timer, which can be canceled until it runs.
///
/// It waits for its time, then it is on its way to its context. There only the closure that the context has been given
/// holds it. So it is released if the context drops that closure, and what depends on it is broken.
///
/// Package hook.
package final class TimedTask: Sendable {
    /// The task on its way to its context.
    private final class Departed: Sendable {
        let task: Lock<(@Sendable () -> Void)?>

        init(_ task: @escaping @Sendable () -> Void) { self.task = Lock(task) }

        func take() -> (@Sendable () -> Void)? { task.exchange(nil) }
    }

    private struct State: Sendable {
        var waiting: (@Sendable () -> Void)?
        nonisolated(unsafe) weak var departed: Departed?
    }

    private let state: Lock<State>

    package init(_ task: @escaping @Sendable () -> Void) { state = Lock(State(waiting: task)) }

    /// Returns the closure to pass to the context; nil if the task was canceled.
    package func depart() -> (@Sendable () -> Void)? {
        let departed = state.withLock { state -> Departed? in
            guard let task = state.waiting.take() else { return nil }
            let departed = Departed(task)
            state.departed = departed
            return departed
        }
        guard let departed else { return nil }
        return { if let task = departed.take() { task() } }
    }

    /// Returns whether the task will not run.
    package func cancel() -> Bool {
        // Both are released outside the lock.
        let (waiting, departed) = state.withLock { state in (state.waiting.take(), state.departed) }
        return waiting != nil || departed?.take() != nil
    }
}
