// Not generic, nor are its states, which saves 40 percent of the time of a call (row 17 of the benchmarks).

/// Work that is under way, or has left a value.
final class SharedEntry: @unchecked Sendable {
    // Sendable: mutable state is accessed only under the lock of its `SharedWork`, and not after that has removed it.

    /// Cancels the work.
    let token = CancelToken()
    /// The future of the callers.
    ///
    /// Only they keep it alive.
    weak var shared: AnyFuture?
    /// The future that the work has returned, until it is completed.
    var source: AnyFuture?
    /// The value, if it is kept.
    var kept: AnyFuture?
    /// The timer of the grace period or of the kept value.
    var timer: Registration?
    /// Whether the end of the source is noticed without a caller.
    var isWatched = false
    /// How often the last caller has left, so that a grace period that was canceled too late ends nothing.
    var leaves = 0

    /// Cancels the timer, and the work if it has no callers.
    ///
    /// Otherwise the token is canceled when the last caller leaves.
    func end() {
        timer?.cancel()
        if shared == nil, kept == nil { token.cancel() }
    }
}

extension SharedEntry {
    /// The state that a caller finds.
    enum Joined {
        case running(AnyFuture)
        /// The work is in its grace period. The caller must cancel this timer.
        case again(SharedEntry, AnyFuture, source: AnyFuture?, Registration?)
        /// With it the entry of work that has ended, and its future, which are released outside the lock.
        case first(SharedEntry, AnyFuture, former: SharedEntry?, AnyFuture?)
    }

    /// The state that the last caller leaves.
    enum Left {
        /// The work was removed by `forget`.
        case forgotten
        /// There is a new caller; its future is released outside the lock.
        case joined(AnyFuture)
        case alone(leaves: Int)
    }

    /// The result of work that has ended while there was no caller.
    enum EndAlone<Key> {
        /// It is forgotten, or its value is kept already.
        case known
        /// A new caller has come, who gets the result; its future is released outside of the lock.
        case joined(AnyFuture)
        /// The old value is released outside the lock.
        case removed((key: Key, value: SharedEntry), Registration?)
        case kept(Registration?)
    }
}
