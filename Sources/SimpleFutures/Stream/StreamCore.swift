/// What is behind a stream: its elements, its subscribers, its end.
///
/// It knows nothing of the type of the elements. A `FutureStream` is a handle for it. What emits into a derived stream
/// holds the core alone, so that a stream whose handle is gone works on for those who have subscribed, and keeps no
/// history for those who no longer can.
@usableFromInline
package final class StreamCore: _LockedObject, @unchecked Sendable {
    // Sendable:
    // 1. `state` is reached under the lock, and in `deinit`, when nobody else has a reference any more.
    // 2. An element is written under the lock, before its place is published to anybody. It is read without the lock by
    //    subscribers who have it before them: their place in the log keeps it where it is.

    @exclusivity(unchecked) private final var state: StreamState
    /// Destroys a value in a payload; nil for values that need no destruction.
    private let destroyValue: (@Sendable (UnsafeMutableRawPointer) -> Void)?
    /// Where the stream comes from, for reports.
    package let site: CreationSite?
    @exclusivity(unchecked) private final var currentWork: (any StreamWork)?

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

    /// How many elements are kept for those who subscribe later.
    @usableFromInline package let capacity: Int

    /// What emits into the stream for the sake of those who see it.
    var work: (any StreamWork)? { withLock { currentWork } }

    @discardableResult
    func replaceWork(_ new: (any StreamWork)?) -> (any StreamWork)? {
        withLock {
            defer { currentWork = new }
            return currentWork
        }
    }

    /// Decides something under the lock, then destroys the elements that nobody needs any more.
    ///
    /// What it removes from the state it must return, to be released outside.
    @inline(__always)
    final func withState<Result>(_ body: (inout StreamState) -> Result) -> Result {
        var unneeded: UnneededElements?
        var unusedLane: StreamLane?
        let result = withLock {
            let result = body(&state)
            unneeded = state.log.popUnneeded(areTrivial: destroyValue == nil)
            unusedLane = state.takeUnusedLane()
            return result
        }
        _ = unusedLane
        if let unneeded { destroyAll(unneeded) }
        return result
    }

    /// Whether a subscriber that runs is to ask what is next.
    func isInterrupted(_ subscriber: Subscriber) -> Bool { subscriber.isInterrupted }

    @inline(never)
    private func destroyAll(_ unneeded: UnneededElements) {
        destroy(unneeded)
        while let elements = withLock({ state.log.popUnneeded(areTrivial: destroyValue == nil) }) {
            destroy(elements)
        }
    }

    private func destroy(_ elements: UnneededElements) {
        // A value may emit another one as it is released, and so on.
        Trampoline.destroy(StreamRemains(elements, destroyValue))
    }

    // MARK: Emitting

    /// What came of an emission.
    @usableFromInline
    package enum Emission: Sendable {
        case accepted
        case finishedBefore
        case cancelledBefore
    }

    /// Emits a value, which `write` puts into the log.
    @usableFromInline
    package func emit(value write: (UnsafeMutableRawPointer) -> Void) -> Emission { emit(.success, write) }

    /// Emits an error.
    @usableFromInline @discardableResult @inline(never)
    package func emit(error: any Error) -> Emission {
        emit(.failure) { Payload.initializeError($0, to: error) }
    }

    private func emit(_ signal: StreamSignal, _ write: (UnsafeMutableRawPointer) -> Void) -> Emission {
        emit(signal, run: nil, write) ?? .accepted
    }

    /// Nil if it was emitted for a run that is over.
    @inline(__always)
    private func emit(
        _ signal: StreamSignal, run: UInt64?, _ write: (UnsafeMutableRawPointer) -> Void
    ) -> Emission? {
        let thread = ThreadState.current
        let step = withState { state -> EmissionStep in
            if let run, state.run != run { return .tooLate }
            guard state.append(signal, write) else { return .ended(state.end) }
            if state.isBusy {
                state.allowOneMore(thread)
                return .nothing
            }
            let direct = state.startDirectly(runsCallbacks: !thread.pointee.isActive, on: thread)
            return direct.map(EmissionStep.deliver) ?? .wake(state.wakeForElement(thread))
        }
        switch step {
        case .nothing: break
        case .deliver(let direct): deliver(direct, on: thread)
        case .wake(let wake): deliver(wake)
        case .ended(let end): return end == .cancellation ? .cancelledBefore : .finishedBefore
        case .tooLate: return nil
        }
        return .accepted
    }

    private enum EmissionStep {
        case nothing
        case deliver(StreamState.Direct)
        case wake(StreamState.Wake)
        case ended(StreamSignal?)
        case tooLate
    }

    /// Emits for a run of a source, unless that is over.
    ///
    /// Package hook.
    package func emit<T: Sendable>(_ result: Try<T>, run: UInt64) -> Emission? {
        switch result {
        case .success(let value): emit(.success, run: run) { Payload.initialize($0, to: value) }
        case .failure(let error): emit(.failure, run: run) { Payload.initializeError($0, to: error) }
        }
    }

    /// Begins another run of the source; those before are over.
    ///
    /// Package hook.
    package func beginRun() -> UInt64 {
        withState { state in
            state.run += 1
            return state.run
        }
    }

    /// Ends the stream as one that will have no more elements.
    package func finish() { end(with: .finish) }

    /// Ends a derived stream whose link was detached.
    package func cancelAsTarget() { end(with: .cancellation) }

    private func end(with signal: StreamSignal) {
        if let wake = withState({ $0.end(with: signal) }) { carryOutEnd(wake) }
    }

    private func carryOutEnd(_ wake: StreamState.Wake) {
        stopWork()
        while let source = withState({ $0.popSource() }) { source.cut() }
        deliver(wake)
        _ = withState { $0.closeRoutes() }
    }

    // MARK: Producers

    /// Counts one more that can emit; false when the stream has ended.
    @discardableResult
    package func gainProducer() -> Bool { withState { $0.gainProducer() } }

    /// Counts one less; with the last one the stream ends.
    package func loseProducer(cancelled: Bool = false) {
        if let wake = withState({ $0.loseProducer(cancelled: cancelled) }) { carryOutEnd(wake) }
    }

    /// Counts a subscriber of another stream among the sources; false when the stream has ended.
    func add(_ source: StreamSource) -> Bool { withState { $0.add(source) } }

    /// Forgets a source that has ended.
    func forget(_ source: StreamSource) { withState { $0.remove(source) } }

    // MARK: Reading

    /// How the stream has ended; nil while it has not.
    package var end: StreamSignal? { withState { $0.end } }

    /// How many elements the history has.
    package var historyCount: Int { withState { $0.log.count } }

    /// How many have subscribed.
    package var subscriberCount: Int { withState { $0.subscriberCount } }

    /// How many of them want elements, and whether there ever was one who did.
    ///
    /// Package hook.
    package var listeners: (count: Int, hadAny: Bool) { withState { ($0.listenerCount, $0.hasHadListener) } }

    /// Reads the history under the lock: no code of the user's may run.
    @usableFromInline
    package func readHistory(_ body: (StreamEvent) -> Void) { withState { $0.log.forEach(body) } }
}

/// Elements that are to be destroyed, and how.
struct StreamRemains {
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
