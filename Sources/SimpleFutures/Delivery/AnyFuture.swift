/// The untyped base class of all futures: state, observers and outcome.
///
/// Use it to handle futures of different types alike: to ask whether they have ended, to react to a cancellation, or to
/// cancel a token's registrations.
///
/// All members may be called from any thread and in any callback.
public class AnyFuture: _LockedObject, @unchecked Sendable {
    // Sendable:
    // 1. `state` is accessed under the lock, and in `deinit`, when there are no other references.
    // 2. `payload` is written under the lock, before the phase is published, and never changes afterwards: a thread
    //    that has read a phase other than `pending` may read the payload without the lock.
    //
    // Subclasses add no stored property: the value is stored in the payload, so that a future is one allocation with
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
        // There are no other references, so no lock is needed.
        switch state.phase {
        case .pending:
            if state.hasWorker { Payload.takeWorker(rawPayload).letGo() }
            if state.count > 0, let heir = state.abandon(on: ThreadState.current) { AnyFuture(heir).deliver() }
        case .failed:
            destroyError()
        case .succeeded, .cancelled, .abandoned: break
        }
    }

    // A separate function, because most futures do not fail.
    @inline(never)
    private final func destroyError() { Trampoline.destroy(rawPayload, as: (any Error).self) }

    /// The address of the payload.
    ///
    /// The payload is written under the lock before the phase is published, and only read or destroyed afterwards. The
    /// code uses the address because formal accesses of the property would count as modifications, which exclude each
    /// other.
    @inlinable
    final var rawPayload: UnsafeMutableRawPointer { rawStorage }

    /// Runs a transition under the lock.
    ///
    /// The transition must return everything it removes from the state, so that it is released outside the lock.
    @inline(__always)
    final func withState<Result: ~Copyable>(_ body: (inout FutureState) -> Result) -> Result {
        withLock { body(&state) }
    }

    // MARK: Settling

    /// Completes with a value, which `write` stores in the payload.
    ///
    /// Package hook.
    @usableFromInline
    final func succeed(_ write: (UnsafeMutableRawPointer) -> Void) -> Completion {
        settle(.succeeded, write)
    }

    /// Completes with an error.
    ///
    /// Package hook.
    @usableFromInline
    final func fail(_ error: any Error) -> Completion {
        settle(.failed) { Payload.initializeError($0, to: error) }
    }

    /// Cancels a derived future whose registration was canceled.
    ///
    /// Package hook.
    ///
    /// Returns whether this call ended the future.
    @usableFromInline @discardableResult
    package final func cancelAsTarget() -> Bool { settle(.cancelled) { _ in } == .accepted }

    /// Fails or is canceled like another future.
    final func end(like source: AnyFuture) {
        if let error = source.error { _ = fail(error) } else { cancelAsTarget() }
    }

    private func settle(_ phase: FuturePhase, _ write: (UnsafeMutableRawPointer) -> Void) -> Completion {
        guard self.phase == .pending else { return lateCompletion }
        var first: Callback?
        var waker: Observer?
        var worker: Worker?
        // Inside another callback the delivery is deferred, and the first callback stays where it is.
        let thread = ThreadState.current
        let isDeferred = thread.pointee.isActive
        var isAnyLeft = false
        let settlement = withLock { () -> FutureState.Settlement? in
            let hasWorker = state.hasWorker
            let settlement = state.settle(phase, on: thread)
            guard let settlement else { return nil }
            if hasWorker { worker = Payload.takeWorker(rawPayload) }
            write(rawPayload)
            switch settlement {
            case .deliver: if isDeferred { isAnyLeft = !state.endIfNothingIsLeft() } else { first = state.takeFirst() }
            case .arrive: first = state.takeArrival()
            case .wake: waker = state.takeWaker()
            case .settled: break
            }
            publish(phase.rawValue)
            return settlement
        }
        // Released before callbacks run, which may take long.
        worker.take()?.letGo()
        switch settlement {
        case .settled: break
        case .deliver(let dispatches):
            if dispatches { dispatch(.queued, on: thread) }
            if !isDeferred { deliver(first: first, on: thread) } else if isAnyLeft { Trampoline.deliver(self) }
        case .arrive: if let first { first.inputs.arrive(self, at: Int(first.index)) }
        case .wake: waker?.wake()
        case nil: return lateCompletion
        }
        return .accepted
    }

    private var lateCompletion: Completion { phase == .cancelled ? .cancelledBefore : .completedBefore }

    /// The result of an attempt to complete a future.
    @usableFromInline
    package enum Completion: Sendable {
        case accepted
        case completedBefore
        case cancelledBefore
    }

    // MARK: Producers

    /// Adds a producer.
    ///
    /// Returns false if the future is settled. Package hook.
    @usableFromInline
    package final func gainProducer() -> Bool { withState { $0.gainProducer() } }

    /// Removes a producer.
    ///
    /// Without any producer left, the future fails as broken. Package hook.
    package final func loseProducer(createdAt site: CreationSite? = nil) {
        guard phase == .pending, withState({ $0.loseProducer() }) else { return }
        if fail(FuturesError.brokenPromise(createdAt: site)) == .accepted {
            FuturesDiagnostics.report(.brokenPromise(createdAt: site))
        }
    }

    // MARK: Reading

    /// The phase of the future's life.
    ///
    /// Package hook.
    @inlinable
    package final var phase: FuturePhase {
        // `init(rawValue:)` is a call for other modules, and a switch costs an instruction for each read: 5 % of an await
        // that need not wait.
        @inline(__always) get { unsafeBitCast(status, to: FuturePhase.self) }
    }

    /// Reads the phase, then the payload that goes with it.
    ///
    /// Package hook.
    @inlinable @inline(__always)
    final func read(_ read: (FuturePhase, UnsafeMutableRawPointer) -> Void) { read(phase, rawPayload) }

    /// The error of a failed future, or of one that can no longer be completed.
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
