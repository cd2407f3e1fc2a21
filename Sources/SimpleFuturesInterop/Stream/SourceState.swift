import SimpleFutures

/// The state machine of a stream's source: whether it runs, and what is to be done that it does as it should.
///
///     idle ──► asked ──► starting ──► running ──► stopping ──► idle        one at a time
///
/// Whoever subscribes after the last one has left gets a start of its own, even if the former start has not returned
/// yet: that one is told to emit nothing more, and is stopped as soon as it has returned.
struct SourceState<T: Sendable>: Sendable {
    private enum Phase: Sendable {
        case idle
        /// It is to be started, on its context maybe.
        case asked
        /// The start runs; nobody may have wanted it any more since then.
        case starting(isInVain: Bool)
        case running((any CancellableHandle)?, isInVain: Bool)
        case stopping
    }

    enum Step: Sendable {
        /// All is as it should be, or another thread is about to look.
        case nothing
        case start
        /// The start that runs is not wanted any more.
        case silence(StreamEmitter<T>?)
        case stop(StreamEmitter<T>?, (any CancellableHandle)?)

        var isNeeded: Bool { if case .nothing = self { false } else { true } }

        /// Whether the source is started or stopped, which is done on its context.
        var isForTheSource: Bool { if case .silence = self { false } else { isNeeded } }

        /// What must emit nothing from now on, before anybody gets round to the source.
        var silenced: StreamEmitter<T>? {
            switch self {
            case .nothing, .start: nil
            case .silence(let emitter), .stop(let emitter, _): emitter
            }
        }
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
            phase = .asked
            return .start
        case .starting(isInVain: false) where !isWanted || isOver:
            phase = .starting(isInVain: true)
            return .silence(emitter)
        case .running(let handle, let isInVain) where isInVain || !isWanted || isOver:
            phase = .stopping
            return .stop(emitter, handle)
        case .idle, .asked, .starting, .running, .stopping: return .nothing
        }
    }

    /// The start that was asked for begins; false if nobody wants it any more.
    mutating func starts(with new: StreamEmitter<T>?, _ isWanted: Bool) -> Bool {
        let isNeeded = isWanted && !isOver
        phase = isNeeded ? .starting(isInVain: false) : .idle
        if isNeeded { emitter = new }
        return isNeeded
    }

    mutating func hasStarted(_ handle: (any CancellableHandle)?) {
        guard case .starting(let isInVain) = phase else { return }
        phase = .running(handle, isInVain: isInVain)
    }

    mutating func hasStopped() { phase = .idle }
}
