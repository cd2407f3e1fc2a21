/// What every future has, whatever the type of its value: its life, its observers, its end.
///
/// You meet it as the superclass of ``Future``, and where futures of different types are handled alike: whether they
/// have ended, what happens when they are cancelled, which registrations a token detaches.
///
/// All members may be called from any thread and from inside any callback.
public class AnyFuture: @unchecked Sendable {
    // Sendable:
    // 1. `state` is reached under the lock, and in `deinit`, when nobody else has a reference any more.
    // 2. `payload` is written under the lock, before the phase is published, and never changes after: whoever has seen
    //    a phase other than `pending` may read it without the lock.
    // Subclasses add no stored property: the value itself is in the payload, so that a future is one allocation with the
    // same layout for every type.

    // The first stored property: `rawPayload` relies on it.
    @exclusivity(unchecked) private final var payload = Payload()
    private let lock = BareLock()
    private let published: PublishedByte
    @exclusivity(unchecked) private final var state: FutureState

    @usableFromInline
    init() {
        published = PublishedByte(FuturePhase.pending.rawValue)
        state = FutureState()
        assert(withUnsafeMutablePointer(to: &payload) { UnsafeMutableRawPointer($0) } == rawPayload)
    }

    private init(_ initial: consuming FutureState) {
        published = PublishedByte(initial.phase.rawValue)
        state = initial
    }

    deinit {
        // Nobody else has a reference any more, so there is nothing to lock.
        switch state.phase {
        case .pending:
            if state.count > 0, let heir = state.abandon() { Trampoline.deliver(AnyFuture(heir)) }
        case .failed:
            Payload.destroyError(rawPayload)
        case .succeeded, .cancelled, .abandoned: break
        }
    }

    /// Where the payload lies.
    ///
    /// It is written under the lock before the phase is published, and only read or destroyed afterwards. By address,
    /// because a formal access of the property would be one to modify, and such accesses exclude each other.
    @inlinable
    package final var rawPayload: UnsafeMutableRawPointer { _getUnsafePointerToStoredProperties(self) }

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
        var first: Callback?
        let settlement = lock.withLock {
            let settlement = state.settle(phase)
            if settlement == .settled || settlement == .deliver {
                write(rawPayload)
                published.publish(phase.rawValue)
                if settlement == .deliver { first = state.takeFirst() }
            }
            return settlement
        }
        switch settlement {
        case .settled: return .accepted
        case .deliver:
            Trampoline.deliver(self, first: first)
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
    package final func gainProducer() -> Bool { lock.withLock { state.gainProducer() } }

    /// Counts one less; the last one to go breaks the future.
    ///
    /// Package hook.
    package final func loseProducer(createdAt site: CreationSite? = nil) {
        guard phase == .pending, lock.withLock({ state.loseProducer() }) else { return }
        if fail(FuturesError.brokenPromise(createdAt: site)) == .accepted {
            FuturesDiagnostics.report(.brokenPromise(createdAt: site))
        }
    }

    // MARK: Reading

    /// Where the future is in its life.
    ///
    /// Package hook.
    @usableFromInline
    package final var phase: FuturePhase {
        FuturePhase(rawValue: published.load(under: lock) { state.phase.rawValue }).unsafelyUnwrapped
    }

    /// Reads phase and payload in one step; `read` must only copy.
    ///
    /// Package hook.
    @usableFromInline
    package final func read(_ read: (FuturePhase, UnsafeMutableRawPointer) -> Void) { read(phase, rawPayload) }

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
    @inlinable @inline(__always)
    package final func observe(
        _ kind: ObserverKind, on context: any ExecutionContext, under token: CancelToken,
        target: consuming AnyFuture? = nil, _ body: consuming @escaping ObserverBody
    ) {
        observe(kind, route: context._route, under: token, target: target, body)
    }

    @usableFromInline
    package final func observe(
        _ kind: ObserverKind, route: consuming _Route, under token: CancelToken,
        target: consuming AnyFuture?, _ body: consuming @escaping ObserverBody
    ) {
        observe(Callback(route: route, kind: kind, target: target, body: body), under: token)
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

    private func observe(_ callback: consuming Callback, under token: CancelToken) {
        var callback: Callback? = consume callback
        if token.isNone, let addition = lock.withLock({ state.add(&callback) }) {
            carryOut(addition)
        } else if let callback {
            observe(Observer(callback), under: token)
        }
    }

    /// Registers an observer that the caller keeps, to ``withdraw(_:)`` it.
    final func observe(_ observer: Observer, under token: CancelToken) {
        guard !token.isNone else { return carryOut(lock.withLock { state.add(observer) }) }
        let link = ObserverLink(observer, of: self, under: token)
        observer.link = link
        // Registered with the token first, so that no delivery can come before there is something to claim.
        guard token.add(link) else { return link.detach() }
        carryOut(lock.withLock { state.add(observer) })
    }

    /// Adds an observer that the caller keeps, to remove it.
    ///
    /// False when the future is settled, or the observer was removed before: then it is not added, and will not be
    /// called. Package hook.
    package final func addIfPending(_ observer: Observer) -> Bool {
        let addition = lock.withLock { state.add(observer, ifPending: true) }
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
        lock.withLock({ state.remove(observer) }) == .removed ? observer.take()?.body : nil
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
    package final var observerCount: Int { Int(lock.withLock { state.count }) }

    private func carryOut(_ addition: FutureState.Addition) {
        switch addition {
        case .deliver: Trampoline.deliver(self)
        case .handOver: _ = drain(.aside, on: ThreadState.current)
        case .waiting, .refused: break
        }
    }

    /// Drops an observer whose token has given it up.
    final func forget(_ observer: Observer) { _ = lock.withLock { state.remove(observer) } }

    /// The context has got round to an observer, or has dropped it: true the first time.
    final func arrive(_ observer: Observer) -> Bool { lock.withLock { state.arrive(observer) } }

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
        let found =
            own <= token.linkCount
            ? lock.withLock { state.observers(under: token) }.compactMap(\.link) : token.links(of: self)
        let links = found.filter { token.remove($0) }
        // So that everything is detached before the first `onCancel` or handler runs.
        Trampoline.together { for link in links { link.detach() } }
        return !links.isEmpty
    }

    // MARK: Delivering

    /// Delivers to one observer after the other, as the only one who does.
    final func drain(on thread: UnsafeMutablePointer<ThreadState>, first: consuming Callback?) {
        var frame = ThreadState.Frame(future: Unmanaged.passUnretained(self), outer: thread.pointee.draining)
        var first: Callback? = first
        withUnsafeMutablePointer(to: &frame) { frame in
            thread.pointee.draining = frame
            if let first = first.take() { run(first, phase) }
            while deliverNext(.toAll, on: thread) {}
            thread.pointee.draining = frame.pointee.outer
        }
    }

    /// Delivers from inside one of the callbacks of a delivery that goes on afterwards.
    final func drainAgain(on thread: UnsafeMutablePointer<ThreadState>) {
        while deliverNext(.again, on: thread) {}
    }

    /// Delivers, inside a callback, to those who need not wait until it returns.
    ///
    /// False when that were all.
    final func drainAhead(on thread: UnsafeMutablePointer<ThreadState>) -> Bool { drain(.ahead, on: thread) }

    private func drain(_ delivering: FutureState.Delivering, on thread: UnsafeMutablePointer<ThreadState>) -> Bool {
        while true {
            switch lock.withLock({ state.next(delivering) }) {
            case .idle: return false
            case .later: return true
            case .run(let callback): run(callback, phase)
            case .runClaimed(let observer): runClaimed(observer)
            case .handOver(let observer, let route): handOver(observer, to: route, on: thread)
            }
        }
    }

    private func deliverNext(
        _ delivering: FutureState.Delivering, on thread: UnsafeMutablePointer<ThreadState>
    ) -> Bool {
        switch lock.withLock({ state.next(delivering) }) {
        case .idle: return false
        case .later: return false
        case .run(let callback): run(callback, phase)
        case .runClaimed(let observer): runClaimed(observer)
        case .handOver(let observer, let route): handOver(observer, to: route, on: thread)
        }
        return true
    }

    private func runClaimed(_ observer: Observer) {
        if observer.claim(), let callback = observer.take() { run(callback, phase) }
    }

    private func handOver(
        _ observer: Observer, to route: _Route, on thread: UnsafeMutablePointer<ThreadState>
    ) {
        let handOver = HandOver(observer, of: self)
        Trampoline.handOver(to: route, on: thread) { handOver.arrive() }
    }

    private func run(_ callback: borrowing Callback, _ phase: FuturePhase) {
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
        switch phase {
        case .failed: Payload.loadError(rawPayload)
        case .abandoned: FuturesError.brokenPromise(createdAt: nil)
        case .pending, .succeeded, .cancelled: nil
        }
    }
}
