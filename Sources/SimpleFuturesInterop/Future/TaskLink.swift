public import SimpleFutures

/// Lets a token cancel a task, until the task ends.
///
/// The token may be canceled before the task exists, and the task may end before the token's handler runs.
@usableFromInline
final class TaskLink: _LockedObject, @unchecked Sendable {
    // Sendable: `token` is constant; the other properties are accessed only under the lock.

    private enum State {
        /// The task is not set yet.
        case waiting
        case running(Task<Void, Never>)
        /// The task has ended.
        case done
    }

    private let token: CancelToken
    @exclusivity(unchecked) private var state = State.waiting
    /// The registration with the token, until the task has ended.
    @exclusivity(unchecked) private var registration: Registration?

    private init(to token: CancelToken) {
        self.token = token
        super.init()
    }

    /// Registers with the token.
    ///
    /// Returns nil if the token can never be canceled.
    @usableFromInline
    static func link(under token: CancelToken) -> TaskLink? {
        guard token != .none else { return nil }
        let link = TaskLink(to: token)
        let registration = token.onCancel { link.cancel() }
        link.withLock { link.registration = registration }
        return link
    }

    /// Whether the token is canceled, even if its handlers have yet to run.
    @usableFromInline
    var isCancelled: Bool { token.isCancelled }

    /// Sets the task.
    @usableFromInline
    func run(_ task: Task<Void, Never>) {
        withLock {
            if case .waiting = state { state = .running(task) }
        }
        if isCancelled { cancel() }
    }

    /// Called when the task has ended: removes the registration with the token.
    @usableFromInline
    func end() {
        let (_, registration) = withLock { () -> (State, Registration?) in
            defer { (state, self.registration) = (.done, nil) }
            return (state, self.registration)
        }
        registration?.cancel()
    }

    private func cancel() {
        // If the task is not set yet, `run` cancels it.
        if case .running(let task) = withLock({ state }) { task.cancel() }
    }
}
