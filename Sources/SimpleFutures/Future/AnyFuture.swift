/// What every future has, whatever the type of its value: its life, its observers, its end.
///
/// You meet it as the superclass of ``Future``, and where futures of different types are handled alike: whether they
/// have ended, what happens when they are canceled, which registrations a token detaches.
///
/// All members may be called from any thread and in any callback.
public class AnyFuture: _LockedObject, @unchecked Sendable {
    // Sendable:
    // 1. `state` is reached under the lock, and in `deinit`, when nobody else has a reference any more.
    // 2. `payload` is written under the lock, before the phase is published, and never changes after: whoever has seen
    //    a phase other than `pending` may read it without the lock.
    // Subclasses add no stored property: the value itself is in the payload, so that a future is one allocation with
    // the same layout for every type.

    // The first stored property: `rawPayload` relies on it.
    @exclusivity(unchecked) private final var payload = Payload()
    @exclusivity(unchecked) private final var state: FutureState

    @usableFromInline
    init() {
        state = FutureState()
        super.init()
        assert(withUnsafeMutablePointer(to: &payload) { UnsafeMutableRawPointer($0) } == rawPayload)
        if Census.isOn { Census.enter(self) }
    }

    private init(_ initial: consuming FutureState) {
        let phase = initial.phase
        state = initial
        super.init(status: phase.rawValue)
    }

    deinit {
        // Nobody else has a reference any more, so there is nothing to lock.
        switch state.phase {
        case .pending:
            Payload.takeWorker(rawPayload)?.letGo()
            if state.count > 0, let heir = state.abandon() { Trampoline.deliver(AnyFuture(heir)) }
        case .failed:
            destroyError()
        case .succeeded, .cancelled, .abandoned: break
        }
    }

    // Apart, since most futures do not fail.
    @inline(never)
    private final func destroyError() { Trampoline.destroy(rawPayload, as: (any Error).self) }

    /// Where the payload lies.
    ///
    /// It is written under the lock before the phase is published, and only read or destroyed afterwards. By address,
    /// because a formal access of the property would be one to modify, and such accesses exclude each other.
    @inlinable
    package final var rawPayload: UnsafeMutableRawPointer { rawStorage }

    /// Decides something under the lock.
    ///
    /// What it removes from the state it must return, to be released outside.
    @inline(__always)
    final func withState<Result: ~Copyable>(_ body: (inout FutureState) -> Result) -> Result {
        withLock { body(&state) }
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
    /// Package hook. Says whether that was the end of it.
    @discardableResult
    package final func cancelAsTarget() -> Bool { settle(.cancelled) { _ in } == .accepted }

    /// Fails or cancels as another future has.
    final func end(like source: AnyFuture) {
        if let error = source.error { _ = fail(error) } else { cancelAsTarget() }
    }

    private func settle(_ phase: FuturePhase, _ write: (UnsafeMutableRawPointer) -> Void) -> Completion {
        let former = self.phase
        guard former == .pending else { return former == .cancelled ? .cancelledBefore : .completedBefore }
        var first: Callback?
        var waker: Waker?
        var worker: Worker?
        let settlement = withLock {
            let settlement = state.settle(phase)
            if settlement.isAccepted {
                worker = Payload.takeWorker(rawPayload)
                write(rawPayload)
                switch settlement {
                case .deliver: first = state.takeFirst()
                case .arrive: first = state.takeArrival()
                case .wake: waker = state.takeWaker()
                case .settled, .completedBefore, .cancelledBefore: break
                }
                publish(phase.rawValue)
            }
            return settlement
        }
        worker?.letGo()
        switch settlement {
        case .settled: return .accepted
        case .deliver(let handsOver):
            if handsOver { handOver(.queued, on: ThreadState.current) }
            Trampoline.deliver(self, first: first)
            return .accepted
        case .arrive:
            if let first { first.inputs.arrive(self, at: Int(first.index)) }
            return .accepted
        case .wake:
            waker?.wake()
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
    package final func gainProducer() -> Bool { withState { $0.gainProducer() } }

    /// Counts one less; the last one to go breaks the future.
    ///
    /// Package hook.
    package final func loseProducer(createdAt site: CreationSite? = nil) {
        guard phase == .pending, withState({ $0.loseProducer() }) else { return }
        if fail(FuturesError.brokenPromise(createdAt: site)) == .accepted {
            FuturesDiagnostics.report(.brokenPromise(createdAt: site))
        }
    }

    // MARK: Being worked on

    /// Keeps, as long as the future is pending, what works on its result; another one takes the place of the first.
    ///
    /// Package hook.
    package final func setWorker(_ worker: Worker) {
        let former = withLock { () -> Worker? in
            guard state.gainWorker() else { return worker }
            defer { Payload.put(worker, into: rawPayload) }
            return Payload.worker(rawPayload)
        }
        former?.letGo()
    }

    /// Lets a closure look at what works on the result, under the lock, if the future is pending and knows.
    ///
    /// Package hook.
    package final func withWorker(_ body: (Worker) -> Void) {
        guard phase == .pending else { return }
        withLock {
            guard state.hasWorker, let worker = Payload.worker(rawPayload) else { return }
            if !worker.isLifeline, !worker.isUpstream { body(worker) }
        }
    }

    /// Keeps the future that this one is derived from and that has a task, or comes from one that has, unless there is a
    /// task of this one's own: for the priority of those who wait.
    final func setUpstream(_ source: AnyFuture) {
        guard source !== self, phase == .pending else { return }
        let new = Worker(upstream: source)
        let former = withLock { () -> Worker? in
            guard state.gainWorker() else { return new }
            let worker = Payload.worker(rawPayload)
            guard worker?.isUpstream != false else {
                worker?.lifeline?.upstream = source
                return new
            }
            Payload.put(new, into: rawPayload)
            return worker
        }
        former?.letGo()
    }

    /// The same if something works on the source at all: for a future that a task behind a derived one waits for.
    ///
    /// Package hook.
    package final func inheritWork(of source: AnyFuture) {
        if source.phase == .pending, source.withState({ $0.hasWorker }) { setUpstream(source) }
    }

    /// The future that this one is derived from, if it is pending and that has a task or comes from one that has.
    ///
    /// Package hook.
    package final var upstream: AnyFuture? {
        guard phase == .pending else { return nil }
        return withLock {
            guard state.hasWorker, let worker = Payload.worker(rawPayload) else { return nil }
            return worker.upstream.map { unsafeDowncast($0, to: AnyFuture.self) } ?? worker.lifeline?.upstream
        }
    }

    /// What keeps the future while somebody waits for it, if it is pending and has one.
    final var lifeline: Lifeline? {
        withLock { state.hasWorker ? Payload.worker(rawPayload)?.lifeline : nil }
    }

    // MARK: Reading

    /// Where the future is in its life.
    ///
    /// Package hook.
    @inlinable
    package final var phase: FuturePhase {
        // `init(rawValue:)` is a call for other modules.
        @inline(__always) get { unsafeBitCast(status, to: FuturePhase.self) }
    }

    /// Reads the phase, then the payload that goes with it.
    ///
    /// Package hook.
    @inlinable @inline(__always)
    package final func read(_ read: (FuturePhase, UnsafeMutableRawPointer) -> Void) { read(phase, rawPayload) }

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
