public import SimpleFutures

/// Between a token and a task: the token cancels the task, until the task ends.
///
/// The token may be canceled before the task is made, and the task may end before the token has heard of it.
@usableFromInline
final class TaskLink: Sendable {
    private enum State {
        /// The task is not known yet.
        case waiting
        case running(Task<Void, Never>)
        /// The task has ended, or is canceled.
        case done
    }

    private let token: CancelToken
    private let state = Lock(State.waiting)
    private let registration = Lock<Registration?>(nil)

    private init(to token: CancelToken) { self.token = token }

    /// Registers with the token, or does nothing if that can never be canceled.
    @usableFromInline
    static func link(under token: CancelToken) -> TaskLink? {
        guard token != .none else { return nil }
        let link = TaskLink(to: token)
        link.registration.exchange(token.onCancel { link.cancel() })
        return link
    }

    /// Whether the token is canceled, even if its handlers are yet to run.
    @usableFromInline
    var isCancelled: Bool { token.isCancelled }

    /// The task is there.
    @usableFromInline
    func run(_ task: Task<Void, Never>) {
        state.withLock { state in
            if case .waiting = state { state = .running(task) }
        }
        if isCancelled { cancel() }
    }

    /// The task has done its work; the token need not know it any more.
    @usableFromInline
    func end() {
        _ = state.exchange(.done)
        registration.exchange(nil)?.cancel()
    }

    private func cancel() {
        let task = state.withLock { state -> Task<Void, Never>? in
            // One that is not known yet is canceled as soon as it is.
            guard case .running(let task) = state else { return nil }
            state = .done
            return task
        }
        task?.cancel()
    }
}
