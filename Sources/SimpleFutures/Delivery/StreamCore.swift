/// The implementation of a stream: its elements, its subscribers, its end.
///
/// It is not generic over the elements. A `FutureStream` is a handle to it. Producers of a derived stream hold only the
/// core: after the handle is released the stream continues for its subscribers, without a replay buffer.
@usableFromInline
package final class StreamCore: _LockedObject, @unchecked Sendable {
    // Sendable:
    // 1. `state` is accessed under the lock, and in `deinit`, when there are no other references.
    // 2. An element is written under the lock, before its position is published. Subscribers that have yet to receive
    //    it read it without the lock: their position in the log keeps it in place.

    @exclusivity(unchecked) private final var state: StreamState
    /// Destroys a value in a payload; nil for values that need no destruction.
    private let destroyValue: (@Sendable (UnsafeMutableRawPointer) -> Void)?
    /// Where the stream was created, for reports.
    package let site: CreationSite?

    @usableFromInline
    package init(
        capacity: Int, createdAt site: CreationSite? = nil,
        destroyValue: (@Sendable (UnsafeMutableRawPointer) -> Void)?
    ) {
        state = StreamState(capacity: capacity)
        self.capacity = capacity
        self.site = site
        self.destroyValue = destroyValue
        super.init()
        if Census.isOn { Census.enter(self) }
    }

    deinit {
        assert(state.subscriberCount == 0, "a stream that is released has ended, and its subscribers with it")
        while let elements = state.log.popAny() { destroy(elements) }
    }

    /// The size of the replay buffer.
    @usableFromInline package let capacity: Int

    /// Runs a transition under the lock, then destroys elements that are no longer needed.
    ///
    /// The transition must return everything it removes from the state, so that it is released outside the lock.
    @inline(__always)
    final func withState<Result>(_ body: (inout StreamState) -> Result) -> Result {
        var unneeded: UnneededElements?
        var unusedMailbox: Mailbox?
        let result = withLock {
            let result = body(&state)
            unneeded = state.log.popUnneeded(areTrivial: destroyValue == nil)
            unusedMailbox = state.mailboxes.takeRemoved()
            return result
        }
        if let unusedMailbox { Trampoline.afterUnsubscribing { _ = unusedMailbox } }
        if let unneeded { destroyAll(unneeded) }
        return result
    }

    @inline(never)
    private func destroyAll(_ unneeded: UnneededElements) {
        destroy(unneeded)
        while let elements = withLock({ state.log.popUnneeded(areTrivial: destroyValue == nil) }) {
            destroy(elements)
        }
    }

    private func destroy(_ elements: UnneededElements) {
        // Releasing a value may emit another one, and so on.
        Trampoline.afterUnsubscribing { [destroyValue] in Trampoline.destroy(StreamRemains(elements, destroyValue)) }
    }

    // MARK: Emitting

    /// The result of an emission.
    @usableFromInline
    package enum Emission: Sendable {
        case accepted
        case finishedBefore
        case cancelledBefore
    }

    /// Emits a value, which `write` stores in the log.
    @usableFromInline
    package func emit(value write: (UnsafeMutableRawPointer) -> Void) -> Emission {
        emit(.success, run: nil, write) ?? .accepted
    }

    /// Emits an error.
    @usableFromInline @discardableResult @inline(never)
    package func emit(error: any Error) -> Emission {
        emit(.failure, run: nil) { Payload.initializeError($0, to: error) } ?? .accepted
    }

    /// Returns nil if the element belongs to an earlier run.
    @inline(__always)
    private func emit(
        _ signal: StreamSignal, run: UInt64?, _ write: (UnsafeMutableRawPointer) -> Void
    ) -> Emission? {
        let thread = ThreadState.current
        let step = withState { state -> EmissionStep in
            if let run, state.run != run { return .tooLate }
            guard state.append(signal, write) else { return .ended(state.end) }
            return state.startDirectly(on: thread).map(EmissionStep.deliver) ?? .wake(state.wakeForElement(thread))
        }
        switch step {
        case .deliver(let direct): deliver(direct, on: thread)
        case .wake(let wake): deliver(wake)
        case .ended(let end): return end == .cancellation ? .cancelledBefore : .finishedBefore
        case .tooLate: return nil
        }
        return .accepted
    }

    private enum EmissionStep {
        case deliver(StreamState.Direct)
        case wake(StreamState.Wake)
        case ended(StreamSignal?)
        case tooLate
    }

    /// Emits for a run of a source, unless that run is over.
    ///
    /// Package hook.
    package func emit<T: Sendable>(_ result: Try<T>, run: UInt64) -> Emission? {
        whileEmitting {
            switch result {
            case .success(let value): emit(.success, run: run) { Payload.initialize($0, to: value) }
            case .failure(let error): emit(.failure, run: run) { Payload.initializeError($0, to: error) }
            }
        }
    }

    /// Begins another run of the source and ends earlier ones.
    ///
    /// Package hook.
    package func beginRun() -> UInt64 {
        withState { state in
            state.run += 1
            return state.run
        }
    }

    /// Ends a run of the source, unless another one has begun since.
    ///
    /// Package hook.
    package func endRun(_ run: UInt64) { withState { if $0.run == run { $0.run += 1 } } }

    /// Finishes the stream.
    @usableFromInline
    package func finish() { end(with: .finish) }

    /// Cancels a derived stream whose registration was canceled.
    package func cancelAsTarget() { end(with: .cancellation) }

    private func end(with signal: StreamSignal) {
        if let wake = withState({ $0.end(with: signal) }) { carryOutEnd(wake) }
    }

    private func carryOutEnd(_ wake: StreamState.Wake) {
        stopWork()
        while let source = withState({ $0.popSource() }) { source.cut() }
        deliver(wake)
        let routes = withState { $0.closeRoutes() }
        if !routes.isEmpty { Trampoline.afterUnsubscribing { _ = routes } }
    }

    // MARK: Producers

    /// Adds a producer.
    ///
    /// Returns false when the stream has ended.
    @usableFromInline @discardableResult
    package func gainProducer() -> Bool { withState { $0.gainProducer() } }

    /// Removes a producer.
    ///
    /// Without any producer left, the stream ends.
    @usableFromInline
    package func loseProducer(cancelled: Bool = false) {
        if let wake = withState({ $0.loseProducer(cancelled: cancelled) }) { carryOutEnd(wake) }
    }

    /// Adds a subscriber of another stream as a source.
    ///
    /// A source that ends must be removed with `forget`, unless this stream has removed it itself: see `cut`. Returns
    /// false when the stream has ended.
    func add(_ source: StreamSource) -> Bool { withState { $0.add(source) } }

    /// Removes a source that has ended.
    func forget(_ source: StreamSource) { withState { $0.remove(source) } }

    // MARK: Reading

    /// How the stream has ended; nil while it is open.
    package var end: StreamSignal? { withState { $0.end } }

    /// The number of elements in the replay buffer.
    var historyCount: Int { withState { $0.log.count } }

    /// The number of subscribers.
    package var subscriberCount: Int { withState { $0.subscriberCount } }

    /// The number of subscribers that receive elements, and whether there ever was one.
    ///
    /// Package hook.
    package var listeners: (count: Int, hadAny: Bool) { withState { ($0.listenerCount, $0.hasHadListener) } }

    /// Reads the replay buffer under the lock: no user code may run.
    ///
    /// Package hook.
    @usableFromInline
    package func readHistory(_ body: (StreamEvent) -> Void) { withState { $0.log.forEach(body) } }
}

/// Elements to destroy, with the function that destroys their values.
struct StreamRemains: DeferredDestruction {
    private let elements: UnneededElements
    private let destroyValue: (@Sendable (UnsafeMutableRawPointer) -> Void)?

    init(_ elements: UnneededElements, _ destroyValue: (@Sendable (UnsafeMutableRawPointer) -> Void)?) {
        self.elements = elements
        self.destroyValue = destroyValue
    }

    func destroy() { elements.destroy(destroyValue) }
}

@available(*, unavailable)
extension StreamRemains: Sendable {}
