import SimpleFutures

/// The state machine of a stream's source: whether it runs, and what is to be done that it does as it should.
///
///     idle ──► starting ──► running ──► stopping ──► idle        one at a time
struct SourceState<T: Sendable>: Sendable {
    private enum Phase: Sendable {
        case idle
        case starting
        case running((any CancellableHandle)?)
        case stopping
    }

    enum Step: Sendable {
        /// All is as it should be, or another thread is about to look.
        case nothing
        case start
        case stop(StreamEmitter<T>?, (any CancellableHandle)?)

        var isNeeded: Bool { if case .nothing = self { false } else { true } }
    }

    private var phase = Phase.idle
    // The source keeps its emitter. If nobody does, that is the end of the stream.
    private weak var emitter: StreamEmitter<T>?
    /// Counts what has changed.
    var changes: UInt64 = 0
    /// Whether there is nobody any more to start the source for.
    private(set) var isOver = false
    private var registration: Registration?

    /// Keeps the stream's place under its token; gives it back when it is not needed any more.
    mutating func keep(_ new: Registration) -> Registration? {
        guard !isOver else { return new }
        registration = new
        return nil
    }

    /// The end; false when it has come before.
    mutating func end() -> (isFirst: Bool, Registration?) {
        defer { (isOver, changes) = (true, changes + 1) }
        return (!isOver, registration.take())
    }

    mutating func next(_ isWanted: Bool) -> Step {
        switch phase {
        case .idle where isWanted && !isOver:
            phase = .starting
            return .start
        case .running(let handle) where !isWanted || isOver:
            phase = .stopping
            return .stop(emitter, handle)
        case .idle, .starting, .running, .stopping: return .nothing
        }
    }

    mutating func starts(with new: StreamEmitter<T>) { emitter = new }

    mutating func hasStarted(_ handle: (any CancellableHandle)?) { phase = .running(handle) }

    mutating func hasStopped() { phase = .idle }
}
