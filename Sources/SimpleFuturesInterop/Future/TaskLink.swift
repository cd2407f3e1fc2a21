public import SimpleFutures

/// Lets a token cancel a task, until the task ends.
///
/// The token may be canceled before the task exists, and the task may end before the token's handler runs.
@usableFromInline
final class TaskLink: Sendable {
    private enum State {
        /// The task is not set yet.
        case waiting
        case running(Task<Void, Never>)
        /// The task has ended or was canceled.
        case done
    }

    private let token: CancelToken
    private let state = Lock(State.waiting)
    private let registration = Lock<Registration?>(nil)

    private init(to token: CancelToken) { self.token = token }

    /// Registers with the token.
    ///
    /// Returns nil if the token can never be canceled.
    @usableFromInline
    static func link(under token: CancelToken) -> TaskLink? {
        guard token != .none else { return nil }
        let link = TaskLink(to: token)
        link.registration.exchange(token.onCancel { link.cancel() })
        return link
    }

    /// Whether the token is canceled, even if its handlers have yet to run.
    @usableFromInline
    var isCancelled: Bool { token.isCancelled }

    /// Sets the task.
    @usableFromInline
    func run(_ task: Task<Void, Never>) {
        state.withLock { state in
            if case .waiting = state { state = .running(task) }
        }
        if isCancelled { cancel() }
    }

    /// Called when the task has ended: removes the registration with the token.
    @usableFromInline
    func end() {
        _ = state.exchange(.done)
        registration.exchange(nil)?.cancel()
    }

    private func cancel() {
        let task = state.withLock { state -> Task<Void, Never>? in
            // If the task is not set yet, `run` cancels it.
            guard case .running(let task) = state else { return nil }
            state = .done
            return task
        }
        task?.cancel()
    }
}
