import SimpleFutures

/// The state machine of a stream's source: whether it runs, and the next step to start or stop it.
///
///     idle ──► asked ──► starting ──► running ──► stopping ──► idle        one at a time
///
/// A subscriber that arrives after the last one has left gets a new start, even if the former start has not returned
/// yet: its emitter is silenced, and it is stopped as soon as it has returned.
struct SourceState<T: Sendable>: Sendable {
    private enum Phase: Sendable {
        case idle
        /// A start is planned, possibly on a context.
        case asked
        /// The start is running. It is in vain if the last subscriber has left since.
        case starting(isInVain: Bool)
        case running((any CancellableHandle)?, isInVain: Bool)
        case stopping
    }

    private enum Life: Sendable {
        case open
        /// The stream is about to end.
        ///
        /// Until it has, the source is neither started nor stopped, because its handle may cancel the stream.
        case ending
        /// The source has ended for good.
        case over
    }

    enum Step: Sendable {
        /// There is nothing to do, or another thread is about to check.
        case nothing
        /// There is something to do when everything is unsubscribed.
        case later
        case start
        /// The run is no longer wanted.
        case silence(StreamEmitter<T>?)
        case stop(StreamEmitter<T>?, (any CancellableHandle)?)

        /// The emitter to silence at once, before the source is stopped.
        var silenced: StreamEmitter<T>? {
            switch self {
            case .nothing, .later, .start: nil
            case .silence(let emitter), .stop(let emitter, _): emitter
            }
        }
    }

    private var phase = Phase.idle
    // The source holds its emitter. If it is released, the stream ends.
    private weak var emitter: StreamEmitter<T>?
    /// The number of the last run.
    private var run: UInt64 = 0
    /// The number of changes so far, starts included: a thread that has looked at the subscribers before a run began
    /// must look again, or it would stop a run that is wanted.
    var changes: UInt64 = 0
    private var life = Life.open
    /// Whether the source will never be started again.
    var isOver: Bool { life == .over }

    /// Claims to end the stream, and then the source.
    ///
    /// Returns false if another caller does, or if the end comes from a run that is over.
    mutating func beginEnd(_ run: UInt64? = nil) -> Bool {
        if let run, !isCurrent(run) { return false }
        guard life == .open else { return false }
        (life, changes) = (.ending, changes + 1)
        return true
    }

    /// Ends the source for good.
    mutating func end() { (life, changes) = (.over, changes + 1) }

    private func isCurrent(_ number: UInt64) -> Bool {
        switch phase {
        case .starting(isInVain: false), .running(_, isInVain: false): run == number
        case .idle, .asked, .starting, .running, .stopping: false
        }
    }

    mutating func next(_ isWanted: Bool, isUnsubscribing: Bool = false) -> Step {
        guard life != .ending else { return .nothing }
        switch phase {
        case .idle where isWanted && !isOver:
            if isUnsubscribing { return .later }
            phase = .asked
            return .start
        case .starting(isInVain: false) where !isWanted || isOver:
            phase = .starting(isInVain: true)
            return .silence(emitter)
        case .running(let handle, isInVain: false) where isUnsubscribing && (!isWanted || isOver):
            phase = .running(handle, isInVain: true)
            return .silence(emitter)
        case .running(let handle, let isInVain) where isInVain || !isWanted || isOver:
            if isUnsubscribing { return .later }
            phase = .stopping
            return .stop(emitter, handle)
        case .idle, .asked, .starting, .running, .stopping: return .nothing
        }
    }

    /// Begins the planned start.
    ///
    /// Returns false if it is no longer wanted.
    mutating func starts(with new: StreamEmitter<T>?, run number: UInt64, _ isWanted: Bool) -> Bool {
        let isNeeded = isWanted && life == .open
        phase = isNeeded ? .starting(isInVain: false) : .idle
        if isNeeded { (emitter, run, changes) = (new, number, changes + 1) }
        return isNeeded
    }

    mutating func hasStarted(_ handle: (any CancellableHandle)?) {
        guard case .starting(let isInVain) = phase else { return }
        phase = .running(handle, isInVain: isInVain)
    }

    mutating func hasStopped() { phase = .idle }
}
