import SimpleFutures

/// Starts and stops the source of a stream, depending on its subscribers.
///
/// Each change is recorded first and then settled: by the thread that made it, or by the thread that is starting or
/// stopping the source at that moment, which checks again afterwards.
final class SourceWork<T: Sendable>: StreamWork {
    typealias Start = @Sendable (StreamEmitter<T>) throws -> (any CancellableHandle)?

    private let state = Lock(SourceState<T>())
    private let start: Start
    /// The context for starts and stops; nil for the thread that causes them.
    private let context: (any ExecutionContext)?
    // The stream holds its work, hence weak. A variable, because compilers before 6.3 do not support weak constants; it
    // is never reassigned.
    private nonisolated(unsafe) weak var core: StreamCore?

    init(of core: StreamCore, on context: (any ExecutionContext)?, _ start: @escaping Start) {
        self.core = core
        self.context = context?.forWaiting
        self.start = start
    }

    /// Links the stream to the token, and starts the source if it is already wanted.
    func begin(under token: CancelToken) {
        guard let core else { return }
        core.follow(token)
        core.setWork(self)
        settle()
    }

    // MARK: Recording changes

    func listenersHaveChanged() {
        state.withLock { $0.changes += 1 }
        settle()
    }

    /// Ends the source for good.
    ///
    /// A stream that is still open has lost its subscribers and its holders, so it finishes: callbacks for its end run.
    func stop() {
        if beginEnd(of: nil) { core?.loseProducer() }
        state.withLock { $0.end() }
        settle()
    }

    /// Called when the emitter of a run was released without being stopped, or nothing can emit any more.
    func hasLostEmitter(of run: UInt64? = nil) {
        guard beginEnd(of: run) else { return }
        core?.loseProducer()
        // The stream stays open if it has other producers.
        stop()
    }

    /// Called when the emitter of a run is about to finish the stream, whose end stops the source.
    ///
    /// Returns false if that run or the source has already ended.
    func beginEnd(of run: UInt64?) -> Bool { state.withLock { $0.beginEnd(run) } }

    // MARK: Settling changes

    /// Whether there are subscribers, or the replay buffer should be filled for a first one.
    private var isWanted: Bool {
        guard let core else { return false }
        let listeners = core.listeners
        return listeners.count > 0 || core.capacity > 0 && !listeners.hadAny
    }

    /// Carries out the steps that are due, unless another thread is doing so.
    ///
    /// A thread that is unsubscribing only ends a run that is in vain. A start or a stop on that thread may wait for what
    /// is being unsubscribed, or for an element that is being passed on; it may also come from another thread, which must
    /// not wait for this one.
    fileprivate func settle() {
        // Until this returns, no other thread may release the stream.
        let core = core
        defer { withExtendedLifetime(core) {} }
        let runsElsewhere = contextNow?._route.isQueue == true
        let isUnsubscribing = StreamCore.isUnsubscribing(runsElsewhere: runsElsewhere)
        while true {
            let seen = state.withLock { $0.changes }
            let isWanted = isWanted
            // Other threads may have changed the state in the meantime; then `isWanted` is outdated.
            let step = state.withLock { $0.changes == seen ? $0.next(isWanted, isUnsubscribing: isUnsubscribing) : nil }
            guard let step else { continue }
            step.silenced?.stop(in: core)
            switch step {
            // The end of an unseen stream runs callbacks, so it waits until everything is unsubscribed, too.
            case .nothing where !isUnsubscribing || core?.isHeld != false: return endIfUnseen()
            case .nothing, .later:
                return StreamCore.afterUnsubscribing(runsElsewhere: runsElsewhere) { [self] in
                    withExtendedLifetime(core) { settle() }
                }
            case .silence: continue
            case .start, .stop: guard carryOutOnContext(step, core) else { return }
            }
        }
    }

    /// Returns false if the context carries the step out later, and settles then.
    private func carryOutOnContext(_ step: SourceState<T>.Step, _ core: StreamCore?) -> Bool {
        if let context = contextNow {
            let task = StepTask(step, of: self, core)
            context.execute { task.run(on: context) }
            return task.handOver()
        }
        carryOut(step)
        return true
    }

    /// Returns the context for a step; nil for this thread.
    private var contextNow: (any ExecutionContext)? { context ?? (isEmittingHere ? QueueContext.global : nil) }

    /// Whether this thread is inside an emission of the source.
    ///
    /// A source is never stopped there: it may emit on a queue, and stopping may wait for that queue.
    fileprivate var isEmittingHere: Bool { core?.isEmittingHere ?? false }

    /// Finishes a stream without holders and subscribers, so that callbacks registered for its end run.
    private func endIfUnseen() {
        guard let core, !core.isHeld, core.listeners.count == 0, state.withLock({ !$0.isOver }) else { return }
        hasLostEmitter()
    }

    fileprivate func carryOut(_ step: SourceState<T>.Step) {
        switch step {
        case .nothing, .later, .silence: break
        case .start: startSource()
        case .stop(_, let handle):
            handle?.cancel()
            state.withLock { $0.hasStopped() }
        }
    }

    private func startSource() {
        guard let core else { return state.withLock { $0.hasStopped() } }
        var emitter = StreamEmitter(into: core, for: self)
        guard begin(with: emitter) else { return }
        do {
            let handle = try start(emitter)
            state.withLock { $0.hasStarted(handle) }
            // The start has dropped it, and it is released below: mostly with a delegate that is held weakly.
            if isKnownUniquelyReferenced(&emitter), emitter.isUnused {
                FuturesDiagnostics.report(.emitterReleased(createdAt: core.site))
            }
        } catch {
            state.withLock { $0.hasStarted(nil) }
            emitter.failure(error)
            emitter.finish()
        }
    }

    /// Whether the source is still wanted, which may have changed before its context runs the start.
    private func begin(with emitter: StreamEmitter<T>) -> Bool {
        while true {
            let seen = state.withLock { $0.changes }
            let isWanted = isWanted
            // A subscriber that leaves after this finds a start in progress, and silences it.
            let hasBegun = state.withLock {
                $0.changes == seen ? $0.starts(with: emitter, run: emitter.run, isWanted) : nil
            }
            if let hasBegun { return hasBegun }
        }
    }
}

/// A step on a context.
///
/// Its release without a run tells the source that the context has dropped it: the stream finishes.
private final class StepTask<T: Sendable>: Sendable {
    private let step: SourceState<T>.Step
    private let work: SourceWork<T>
    // Until the step has run, no other thread may release the stream.
    private let core: StreamCore?
    private let state = Lock(State())

    private struct State: Sendable {
        var hasBegun = false
        var hasEnded = false
        /// Whether `execute` has returned.
        var isHandedOver = false
    }

    init(_ step: SourceState<T>.Step, of work: SourceWork<T>, _ core: StreamCore?) {
        self.step = step
        self.work = work
        self.core = core
    }

    func run(on context: any ExecutionContext) {
        // The context runs its tasks at once. Only an `ImmediateContext` may do that inside an emission.
        guard !work.isEmittingHere || context is ImmediateContext || state.withLock({ $0.isHandedOver }) else {
            return QueueContext.global.execute { context.execute { self.run(on: context) } }
        }
        guard begins() else { return }
        work.carryOut(step)
        let isHandedOver = state.withLock { state in
            state.hasEnded = true
            return state.isHandedOver
        }
        if isHandedOver { work.settle() }
    }

    /// Called when `execute` has returned.
    ///
    /// Returns true if the step has been carried out already. Then the caller does the next one: otherwise the steps
    /// would nest on a context that runs its tasks inside `execute`.
    func handOver() -> Bool {
        state.withLock { state in
            state.isHandedOver = true
            return state.hasEnded
        }
    }

    private func begins() -> Bool {
        state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
    }

    deinit {
        if begins() { work.hasLostEmitter() }
    }
}
