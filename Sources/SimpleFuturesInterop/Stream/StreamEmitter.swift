public import SimpleFutures

/// Emits the elements of a source: see
/// ``SimpleFutures/FutureStream/init(capacity:cancelToken:context:fileID:line:source:)``.
///
/// It belongs to one start of the source. Elements emitted after that start was stopped are dropped silently, because
/// the source may not know yet. Elements emitted after ``finish()`` are dropped too, and reported to
/// `FuturesDiagnostics`. When it is released, the stream finishes.
///
/// All members may be called from any thread. None of them blocks.
public final class StreamEmitter<T: Sendable>: Sendable {
    private enum Phase {
        case active(StreamCore, SourceWork<T>)
        case stopped
        case finished(CreationSite?)
    }

    private struct State {
        var phase: Phase
        var hasEmitted = false

        /// Leaves the active phase.
        ///
        /// Returns the former phase, to be released without the lock; nil if it was not active.
        mutating func end(_ new: (StreamCore) -> Phase) -> Phase? {
            guard case .active(let core, _) = phase else { return nil }
            defer { phase = new(core) }
            return phase
        }
    }

    private let state: Lock<State>
    /// The number of its run of the source.
    let run: UInt64

    init(into core: StreamCore, for work: SourceWork<T>) {
        run = core.beginRun()
        state = Lock(State(phase: .active(core, work)))
    }

    deinit {
        guard case .active(let core, let work) = state.withLock({ $0.end { _ in .stopped } }) else { return }
        // This may be the last reference to the stream, which must finish before it is released.
        withExtendedLifetime(core) { work.hasLostEmitter(of: run) }
    }

    /// Emits an element, a value or an error.
    public func complete(_ result: Try<T>) {
        let phase = state.withLock { state in
            state.hasEmitted = true
            return state.phase
        }
        switch phase {
        case .active(let core, _): if let emission = core.emit(result, run: run) { core.report(emission) }
        case .stopped: break
        case .finished(let site): FuturesDiagnostics.report(.emittedAfterFinish(createdAt: site))
        }
    }

    /// Emits an element, unless its run is over.
    ///
    /// Returns false if it is: the element is not lost then, and can be emitted in the next run. Package hook.
    package func tryComplete(_ result: Try<T>) -> Bool {
        guard case .active(let core, _) = state.withLock({ $0.phase }) else { return false }
        return core.emit(result, run: run) != nil
    }

    /// Emits a value.
    public func success(_ value: T) { complete(.success(value)) }

    /// Emits an error.
    ///
    /// The stream continues.
    public func failure(_ error: any Error) { complete(.failure(error)) }

    /// Ends the stream: there will be no more elements.
    ///
    /// Earlier elements are delivered first. The source's handle is canceled: before this returns, unless the source
    /// has a context, is still being started, or emits on this stack. So do not call it on a queue for which the handle
    /// waits, or pass that queue as the context.
    public func finish() {
        let old = state.withLock { $0.end { .finished($0.site) } }
        if case .active(let core, let work) = old, work.beginEnd(of: run) { core.finish() }
    }

    /// Whether nothing that is emitted can reach a subscriber any more: the stream has ended, or this run of the source.
    ///
    /// A source that is canceled inside its own emission, while it is still being started, is stopped only when the start
    /// has returned. Package hook.
    package var isOver: Bool {
        if case .active(let core, _) = state.withLock({ $0.phase }) { core.end != nil } else { true }
    }

    /// Whether it could still emit, but has emitted nothing.
    var isUnused: Bool { !isOver && !state.withLock { $0.hasEmitted } }

    /// Ends its run: drops all further elements, including elements that another thread is about to emit.
    ///
    /// - Parameter core: The stream, which the emitter no longer holds if it has finished.
    func stop(in core: StreamCore?) {
        let old = state.withLock { $0.end { _ in .stopped } }
        withExtendedLifetime(old) { core?.endRun(run) }
    }
}

extension StreamEmitter where T == Void {
    /// Emits an element.
    public func success() { success(()) }
}
