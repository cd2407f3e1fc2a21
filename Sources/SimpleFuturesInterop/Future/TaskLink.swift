import SimpleFutures

/// Between a token and a task: the token cancels the task, until the task ends.
///
/// The token may be cancelled before the task is made, and the task may end before the token has heard of it.
final class TaskLink: Sendable {
    private enum State {
        /// The task is not known yet.
        case waiting
        case running(Task<Void, Never>)
        case cancelled
        case ended
    }

    private let state = Lock(State.waiting)
    private let registration = Lock<Registration?>(nil)

    /// Registers with the token, or does nothing if that can never be cancelled.
    static func link(under token: CancelToken) -> TaskLink? {
        guard token != .none else { return nil }
        let link = TaskLink()
        link.registration.exchange(token.onCancel { link.cancel() })
        // Inside a callback of the library the handler of a cancelled token waits until that returns.
        if token.isCancelled { link.cancel() }
        return link
    }

    /// Whether the token was cancelled.
    var isCancelled: Bool { state.withLock { if case .cancelled = $0 { true } else { false } } }

    /// The task is there.
    func run(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            switch state {
            case .waiting: state = .running(task)
            case .cancelled: return true
            case .running, .ended: break
            }
            return false
        }
        if isCancelled { task.cancel() }
    }

    /// The task has done its work; the token need not know it any more.
    func end() {
        _ = state.exchange(.ended)
        registration.exchange(nil)?.cancel()
    }

    private func cancel() {
        let task = state.withLock { state -> Task<Void, Never>? in
            switch state {
            case .waiting:
                state = .cancelled
                return nil
            case .running(let task):
                state = .cancelled
                return task
            case .cancelled, .ended: return nil
            }
        }
        task?.cancel()
    }
}
