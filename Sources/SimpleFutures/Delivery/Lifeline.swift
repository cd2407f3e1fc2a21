/// Keeps a pending derived future alive only as long as it has waiters.
///
/// It is used for futures derived without a user's closure.
///
/// The source and the timer hold such a future weakly. While it has waiters, this object keeps it alive; otherwise only
/// its holders do. When the future is released or settled, it unsubscribes from its source (promise 8).
package final class Lifeline: Sendable {
    private struct State: Sendable {
        /// The future, as long as it has waiters.
        var kept: AnyFuture?
        /// The action for the end of the future's life; nil after it has run.
        var end: (@Sendable () -> Void)?
        var isClosed = false
        /// The number of the library's own observers, which do not keep the future alive.
        var ownObservers: Int
    }

    private let state: Lock<State>
    // A variable, because compilers before 6.3 do not support weak constants. It is never reassigned.
    private nonisolated(unsafe) weak var weakFuture: AnyFuture?

    /// Registers itself as the worker of a future.
    ///
    /// - Parameters:
    ///   - future: The future.
    ///   - ownObservers: How many of its observers belong to the library; nil if all do, because callers do not have the
    ///     future yet.
    init(of future: AnyFuture, ownObservers: Int? = nil) {
        weakFuture = future
        // A lifeline that this one replaces may have recorded some that have not run yet.
        let recorded = future.lifeline?.state.withLock { $0.ownObservers } ?? 0
        state = Lock(State(ownObservers: ownObservers.map { $0 + recorded } ?? future.observerCount))
        future.setWorker(.lifeline(self))
        guard ownObservers != nil else { return }
        for inputs in future.withState({ $0.waitsForMany }) { inputs.remember(self) }
        update()
    }

    /// The sources of the future behind which there is a task.
    ///
    /// Accessed under the future's lock.
    @exclusivity(unchecked) private(set) nonisolated(unsafe) var upstreams: [Upstream] = []

    /// A source that is not kept alive.
    struct Upstream {
        // A variable, because compilers before 6.3 do not support weak constants.
        nonisolated(unsafe) weak var future: AnyFuture?
        /// Identifies it without a strong reference, which must not be released under the lock.
        let id: ObjectIdentifier

        init(_ future: AnyFuture) { (self.future, id) = (future, ObjectIdentifier(future)) }
    }

    /// How many sources are kept.
    ///
    /// More tasks than processors gain nothing from a higher priority. Package hook.
    package static let mostUpstreams = 1_000

    /// Adds a source, unless there are very many.
    ///
    /// A weak reference makes its object slower to retain, so there is none that is not needed.
    func add(_ source: AnyFuture) {
        if upstreams.count < Self.mostUpstreams { upstreams.append(Upstream(source)) }
    }

    func has(_ source: AnyFuture) -> Bool {
        let id = ObjectIdentifier(source)
        return upstreams.contains { $0.id == id }
    }

    /// Removes a source that has ended, to make room for others.
    func remove(_ source: AnyFuture) {
        let id = ObjectIdentifier(source)
        upstreams.removeAll { $0.id == id }
    }

    /// The future, unless it was released.
    var future: AnyFuture? { weakFuture }

    /// Keeps the future alive while it has observers, and releases it otherwise.
    ///
    /// Each thread that has added or removed an observer calls this afterwards; the last call sees all changes.
    func update() {
        guard let future else { return }
        // Removed under the lock, released outside.
        var leftovers: [Observer] = []
        let former = state.withLock { state -> AnyFuture? in
            let isKept = !state.isClosed && future.withState { $0.hasObservers(beside: state.ownObservers, &leftovers) }
            defer { state.kept = isKept ? future : nil }
            return state.kept
        }
        withExtendedLifetime((former, leftovers)) {}
    }

    /// Records one more of the library's own observers, which is about to be added.
    func addOwnObserver() { state.withLock { $0.ownObservers += 1 } }

    /// Sets the action for the end of the future's life.
    ///
    /// Runs it at once if the future has ended.
    func atEnd(_ end: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.end = end }
            return state.isClosed
        }
        if isClosed { end() }
    }

    /// Called when the future has ended.
    func close() {
        let remains = state.withLock { state in
            defer { (state.kept, state.end, state.isClosed) = (nil, nil, true) }
            return LifelineRemains(kept: state.kept, end: state.end)
        }
        // The end may release the future's source, which has a lifeline too, and so on.
        Trampoline.destroy(remains)
    }
}

/// References that a lifeline holds until the end.
private struct LifelineRemains: DeferredDestruction {
    let kept: AnyFuture?
    let end: (@Sendable () -> Void)?

    func destroy() { end?() }
}

@available(*, unavailable)
extension LifelineRemains: Sendable {}

/// An observer that holds the future it settles only weakly.
final class LifelineObserver: Observer, @unchecked Sendable {
    // Sendable like its superclass; constant.

    private let lifeline: Lifeline

    /// - Parameters:
    ///   - kind: The outcomes that the body handles; others are passed on.
    ///   - body: Settles the target.
    init(_ lifeline: Lifeline, _ kind: ObserverKind = .forwarding, _ body: @escaping ObserverBody) {
        self.lifeline = lifeline
        super.init(
            Callback(route: .immediate, kind: .plumbing, target: nil) { source, _ in
                source.deliver(kind, to: lifeline.future, body, source.phase)
            })
    }

    override var weakTarget: AnyFuture? { lifeline.future }
}

extension AnyFuture {
    /// Runs a body when this future ends, however that is, without keeping the future alive.
    ///
    /// The body runs no user code. Package hook.
    package final func track(_ body: @escaping ObserverBody) {
        lifeline?.addOwnObserver()
        observe(.plumbing, body)
    }

    /// Derives a future without a user's closure.
    ///
    /// It unsubscribes from this future when it has no waiters and no holders. Package hook.
    @usableFromInline
    package final func observe(
        _ kind: ObserverKind, under token: CancelToken = .none, leavingWith derived: AnyFuture,
        ownObservers: Int? = nil, _ body: @escaping ObserverBody
    ) {
        guard phase == .pending else { return observe(kind, under: token, target: derived, body) }
        let lifeline = Lifeline(of: derived, ownObservers: ownObservers)
        let observer = LifelineObserver(lifeline, kind, body)
        observe(observer, under: token)
        lifeline.atEnd { [weak self] in self?.withdraw(observer) }
    }
}
