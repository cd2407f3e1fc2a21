import SimpleFutures

/// Starts and stops the source of a stream, as there are listeners or not.
///
/// Whatever changes is noted first, and then settled: by whoever has noted it, or by the thread that is starting or
/// stopping the source at that moment, which afterwards looks again.
final class SourceWork<T: Sendable>: StreamWork {
    typealias Start = @Sendable (StreamEmitter<T>) throws -> (any CancellableHandle)?

    private let state = Lock(SourceState<T>())
    private let start: Start
    /// Where the source is started and stopped; nil for wherever that becomes necessary.
    private let context: (any ExecutionContext)?
    // The stream keeps its work. A variable for compilers before 6.3, which know no weak constant; nobody sets it.
    private nonisolated(unsafe) weak var core: StreamCore?

    init(of core: StreamCore, on context: (any ExecutionContext)?, _ start: @escaping Start) {
        self.core = core
        self.context = context
        self.start = start
    }

    /// Ties the stream to the token, and starts the source if there is a reason already.
    func begin(under token: CancelToken) {
        guard let core else { return }
        guard !token.isCancelled else { return core.cancelAsTarget() }
        core.setWork(self)
        let registration = token.onCancel { core.cancelAsTarget() }
        state.withLock { $0.keep(registration) }?.cancel()
        settle()
    }

    // MARK: What changes

    func listenersHaveChanged() {
        state.withLock { $0.changes += 1 }
        settle()
    }

    func stop() { _ = end() }

    /// Whoever emits is gone, without having been stopped.
    func hasLostEmitter() {
        if end() { core?.loseProducer() }
    }

    /// False when it has ended before.
    private func end() -> Bool {
        let (isFirst, registration) = state.withLock { $0.end() }
        registration?.cancel()
        settle()
        return isFirst
    }

    // MARK: What follows

    /// Whether somebody listens, or may yet want to know what comes now.
    private var isWanted: Bool {
        guard let core else { return false }
        let listeners = core.listeners
        return listeners.count > 0 || core.capacity > 0 && !listeners.hadAny
    }

    /// Does what is to be done, unless another thread is at it.
    private func settle() {
        while true {
            let seen = state.withLock { $0.changes }
            let isWanted = isWanted
            // Others may have changed it meanwhile; then this is old news.
            guard let step = state.withLock({ $0.changes == seen ? $0.next(isWanted) : nil }) else { continue }
            guard step.isNeeded else { break }
            step.silenced?.stop()
            guard step.isForTheSource else { continue }
            if let context = contextNow(for: step) {
                // Until then nobody else may have the stream.
                return context.execute { [core] in
                    self.carryOut(step)
                    self.settle()
                    withExtendedLifetime(core) {}
                }
            }
            carryOut(step)
        }
        endIfUnseen()
    }

    /// Where the step is taken; nil for on the spot.
    ///
    /// A source is never stopped inside of its own emission: it may emit on a queue, and wait for that queue as it is
    /// stopped.
    private func contextNow(for step: SourceState<T>.Step) -> (any ExecutionContext)? {
        if let context { return context }
        return core?.isEmittingHere ?? false ? QueueContext.global : nil
    }

    /// A stream that nobody holds and nobody listens to emits no more; those are told who have asked for its end.
    private func endIfUnseen() {
        guard let core, !core.isHeld, core.listeners.count == 0, state.withLock({ !$0.isOver }) else { return }
        hasLostEmitter()
    }

    private func carryOut(_ step: SourceState<T>.Step) {
        switch step {
        case .nothing, .silence: break
        case .start: startSource()
        case .stop(_, let handle):
            handle?.cancel()
            state.withLock { $0.hasStopped() }
        }
    }

    private func startSource() {
        guard let core else { return state.withLock { $0.hasStopped() } }
        let emitter = StreamEmitter(into: core, for: self)
        guard begin(with: emitter) else { return emitter.stop() }
        do {
            let handle = try start(emitter)
            state.withLock { $0.hasStarted(handle) }
        } catch {
            state.withLock { $0.hasStarted(nil) }
            emitter.failure(error)
            emitter.finish()
        }
    }

    /// Whether the source is wanted still: this need not be so when its context runs it.
    private func begin(with emitter: StreamEmitter<T>) -> Bool {
        while true {
            let seen = state.withLock { $0.changes }
            let isWanted = isWanted
            // Whoever leaves after that finds a start that is under way, and silences it.
            let hasBegun = state.withLock { $0.changes == seen ? $0.starts(with: emitter, isWanted) : nil }
            if let hasBegun { return hasBegun }
        }
    }
}
