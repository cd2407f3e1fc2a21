/// What every future has, whatever the type of its value: its life, its observers, its end.
///
/// You meet it as the superclass of ``Future``, and where futures of different types are handled alike: whether they
/// have ended, what happens when they are cancelled, which registrations a token detaches.
///
/// All members may be called from any thread and from inside any callback.
public class AnyFuture: @unchecked Sendable {
    // Sendable, because all that changes is inside the lock. Subclasses add no stored property: the value itself is in
    // the state's payload, so that a future is one allocation with the same layout for every type.

    private let state: Lock<FutureState>

    @usableFromInline
    init() { state = Lock(FutureState()) }

    private init(_ initial: FutureState) { state = Lock(initial) }

    deinit {
        // Exclusive here, but for the lock's own sake.
        let (heir, error) = state.withLock { state in
            (state.abandon(), state.phase == .failed ? state.takeError() : nil)
        }
        _ = error
        if let heir { Trampoline.deliver(AnyFuture(heir)) }
    }

    // MARK: Settling

    /// Settles with a value, which `write` puts into the payload.
    ///
    /// Package hook.
    @usableFromInline
    package final func succeed(_ write: (UnsafeMutableRawPointer) -> Void) -> Completion {
        settle(.succeeded, write)
    }

    /// Settles with an error.
    ///
    /// Package hook.
    @usableFromInline
    package final func fail(_ error: any Error) -> Completion {
        settle(.failed) { Payload.initializeError($0, to: error) }
    }

    /// Ends a derived future whose link was detached.
    ///
    /// Package hook.
    package final func cancelAsTarget() {
        _ = settle(.cancelled) { _ in }
    }

    private func settle(_ phase: FuturePhase, _ write: (UnsafeMutableRawPointer) -> Void) -> Completion {
        switch state.withLock({ $0.settle(phase, write) }) {
        case .settled: return .accepted
        case .deliver:
            Trampoline.deliver(self)
            return .accepted
        case .completedBefore: return .completedBefore
        case .cancelledBefore: return .cancelledBefore
        }
    }

    /// What came of an attempt to complete a future.
    @usableFromInline
    package enum Completion: Sendable {
        case accepted
        case completedBefore
        case cancelledBefore
    }

    // MARK: Producers

    /// Counts one more that can complete the future; false when it is settled.
    ///
    /// Package hook.
    package final func gainProducer() -> Bool { state.withLock { $0.gainProducer() } }

    /// Counts one less; the last one to go breaks the future.
    ///
    /// Package hook.
    package final func loseProducer(createdAt site: CreationSite? = nil) {
        guard state.withLock({ $0.loseProducer() }) else { return }
        if fail(FuturesError.brokenPromise(createdAt: site)) == .accepted {
            FuturesDiagnostics.report(.brokenPromise(createdAt: site))
        }
    }

    // MARK: Reading

    /// Where the future is in its life.
    ///
    /// Package hook.
    @usableFromInline
    package final var phase: FuturePhase { state.withLock { $0.phase } }

    /// Reads phase and payload in one step; `read` must only copy.
    ///
    /// Package hook.
    @usableFromInline
    package final func read(_ read: (FuturePhase, UnsafeMutableRawPointer) -> Void) {
        state.withLock { state in
            let phase = state.phase
            withUnsafeMutablePointer(to: &state.payload) { read(phase, UnsafeMutableRawPointer($0)) }
        }
    }

    // MARK: Observing

    /// Registers code for the end of this future.
    ///
    /// - Parameters:
    ///   - kind: What it wants to hear, and what of it belongs on the context.
    ///   - context: The context of user code.
    ///   - token: Under which token it is registered.
    ///   - target: The future that the body settles. It is cancelled when the link is detached, and loses a producer
    ///     when the link is lost.
    ///   - body: The code. It runs once at the most.
    @usableFromInline
    package final func observe(
        _ kind: ObserverKind, on context: any ExecutionContext, under token: CancelToken,
        target: AnyFuture? = nil, _ body: @escaping ObserverBody
    ) {
        observe(Callback(route: context._route, kind: kind, target: target, body: body), under: token)
    }

    /// Registers plumbing: the body runs wherever the future is settled.
    ///
    /// Package hook.
    @usableFromInline
    package final func observe(
        _ kind: ObserverKind, under token: CancelToken = .none, target: AnyFuture? = nil, _ body: @escaping ObserverBody
    ) {
        observe(Callback(route: .immediate, kind: kind, target: target, body: body), under: token)
    }

    private func observe(_ callback: Callback, under token: CancelToken) {
        if token.isNone, let addition = state.withLock({ $0.add(callback) }) {
            carryOut(addition)
        } else {
            observe(Observer(callback), under: token)
        }
    }

    /// Registers an observer that the caller keeps, to ``withdraw(_:)`` it.
    final func observe(_ observer: Observer, under token: CancelToken) {
        guard !token.isNone else { return carryOut(state.withLock { $0.add(observer) }) }
        let link = ObserverLink(observer, of: self, under: token)
        observer.link = link
        // Registered with the token first, so that no delivery can come before there is something to claim.
        guard token.add(link) else { return link.detach() }
        carryOut(state.withLock { $0.add(observer) })
    }

    /// Adds an observer that the caller keeps, to remove it.
    ///
    /// False when the future is settled, or the observer was removed before: then it is not added, and will not be
    /// called. Package hook.
    package final func addIfPending(_ observer: Observer) -> Bool {
        let addition = state.withLock { $0.add(observer, ifPending: true) }
        carryOut(addition)
        return addition != .refused
    }

    /// Takes out an observer that was added with ``addIfPending(_:)``, or that is about to be and then will not.
    ///
    /// Package hook.
    ///
    /// - Returns: What would have been called; nil when it was called, or had not been added yet.
    @discardableResult
    package final func remove(_ observer: Observer) -> ObserverBody? {
        state.withLock({ $0.remove(observer) }) == .removed ? observer.take()?.body : nil
    }

    /// Takes out an observer, whether it is under a token or not, and releases what it holds.
    ///
    /// Its target is not told.
    final func withdraw(_ observer: Observer) {
        if observer.link == nil {
            remove(observer)
        } else if observer.claim() {
            forget(observer)
            _ = observer.take()
        }
    }

    /// How many registrations the future holds.
    ///
    /// Package hook for tests.
    package final var observerCount: Int { Int(state.withLock { $0.count }) }

    private func carryOut(_ addition: FutureState.Addition) {
        if addition == .deliver { Trampoline.deliver(self) }
    }

    /// Drops an observer whose token has given it up.
    final func forget(_ observer: Observer) { _ = state.withLock { $0.remove(observer) } }

    /// The context has got round to an observer, or has dropped it: true the first time.
    final func arrive(_ observer: Observer) -> Bool { state.withLock { $0.arrive(observer) } }

    // MARK: Cancelling

    /// Detaches what was registered on this future under a token.
    ///
    /// Detached callbacks do not run, not even those that their context has been asked to run and has not begun; the
    /// futures that were derived under the token are cancelled. The future itself and other registrations go on. The
    /// second half of a `flatMap` or `recoverWith` is registered on the inner future: only ``CancelToken/cancel()``
    /// reaches it.
    ///
    /// The cost is in the number of callbacks of the future, or of registrations under the token if those are fewer.
    ///
    /// - Returns: Whether there was anything to detach.
    @discardableResult
    public final func cancel(_ token: CancelToken) -> Bool {
        let own = observerCount
        guard own > 0, !token.isNone else { return false }
        let links =
            if own <= token.linkCount {
                state.withLock { $0.observers(under: token) }.compactMap(\.link).filter { token.remove($0) }
            } else {
                token.removeLinks(of: self)
            }
        // So that everything is detached before the first `onCancel` or handler runs.
        Trampoline.together { for link in links { link.detach() } }
        return !links.isEmpty
    }

    // MARK: Delivering

    /// Delivers to one observer after the other, as the only one who does.
    final func drain(on thread: ThreadState) {
        thread.draining.append(Unmanaged.passUnretained(self))
        while deliverNext(.toAll, on: thread) {}
        thread.draining.removeLast()
    }

    /// Delivers from inside one of the callbacks of a delivery that goes on afterwards.
    final func drainAgain(on thread: ThreadState) {
        while deliverNext(.again, on: thread) {}
    }

    /// Delivers, inside a callback, to those who need not wait until it returns.
    ///
    /// False when that were all.
    final func drainAhead(on thread: ThreadState) -> Bool {
        while true {
            let (next, phase) = state.withLock { ($0.next(.ahead), $0.phase) }
            switch next {
            case .idle: return false
            case .later: return true
            case .run, .runClaimed, .handOver: deliver(next, phase, on: thread)
            }
        }
    }

    private func deliverNext(_ delivering: FutureState.Delivering, on thread: ThreadState) -> Bool {
        let (next, phase) = state.withLock { ($0.next(delivering), $0.phase) }
        if case .idle = next { return false }
        deliver(next, phase, on: thread)
        return true
    }

    private func deliver(_ next: FutureState.Next, _ phase: FuturePhase, on thread: ThreadState) {
        switch next {
        case .idle, .later: break
        case .run(let callback): run(callback, phase)
        case .runClaimed(let observer):
            if observer.claim(), let callback = observer.take() { run(callback, phase) }
        case .handOver(let observer):
            let handOver = HandOver(observer, of: self)
            thread.handOver(to: observer.route) { handOver.arrive() }
        }
    }

    private func run(_ callback: Callback, _ phase: FuturePhase) {
        if callback.kind.wants(phase) {
            callback.body(self, callback.target)
        } else if let target = callback.target {
            pass(phase, to: target)
        }
    }

    /// What needs no code of the observer's: a failure is handed on as it is, a cancellation too.
    private func pass(_ phase: FuturePhase, to target: AnyFuture) {
        switch phase {
        case .failed: if let error { _ = target.fail(error) }
        case .cancelled: target.cancelAsTarget()
        case .abandoned: target.loseProducer()
        case .pending, .succeeded: assertionFailure("nothing to pass on in phase \(phase)")
        }
    }

    /// The error of a failed future, or that of a future that nobody can complete any more.
    ///
    /// Package hook.
    @usableFromInline
    package final var error: (any Error)? {
        state.withLock { $0.error }
    }
}

extension FutureState {
    var error: (any Error)? {
        mutating get {
            switch phase {
            case .failed:
                withUnsafeMutablePointer(to: &payload) { Payload.loadError($0) }
            case .abandoned: FuturesError.brokenPromise(createdAt: nil)
            case .pending, .succeeded, .cancelled: nil
            }
        }
    }

    /// For `deinit`: moves the error out of the payload, to be released outside.
    mutating func takeError() -> (any Error)? {
        withUnsafeMutablePointer(to: &payload) { Payload.takeError($0) }
    }
}
