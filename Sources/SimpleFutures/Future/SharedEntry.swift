// Not generic, nor are its states, which saves 40 percent of the time of a call (row 17 of the benchmarks).

/// Work that is under way, or has left a value.
@usableFromInline
final class SharedEntry: @unchecked Sendable {
    // Sendable: mutable state is accessed only under the lock of its `SharedWork`. After that has removed the entry,
    // `timer`, `shared` and `kept` are constant and read without the lock.

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

    /// Decides under the lock what a caller gets, and adds an entry if there is none, or none to join.
    ///
    /// - Parameter make: Creates a future for the callers.
    @usableFromInline
    static func join(_ entry: inout SharedEntry?, keepsValue: Bool, _ make: () -> AnyFuture) -> Joined {
        let former = entry
        let current = former.map { $0.kept ?? $0.shared } ?? nil
        guard let former, !former.hasEnded(current, keepsValue: keepsValue) else {
            let (new, shared) = (SharedEntry(), make())
            new.shared = shared
            entry = new
            return .first(new, shared, former: former, current)
        }
        if let current { return .running(current) }
        let (shared, timer) = (make(), former.timer)
        (former.shared, former.timer) = (shared, nil)
        return .again(former, shared, source: former.source, timer)
    }

    /// Whether the work has ended and leaves nothing to the next caller: a caller that has seen the end can be faster
    /// than the thread that removes the entry.
    private func hasEnded(_ current: AnyFuture?, keepsValue: Bool) -> Bool {
        guard kept == nil else { return false }
        let phase = current?.phase ?? .pending
        switch phase == .pending ? source?.phase ?? .pending : phase {
        case .pending: return false
        case .succeeded: return !keepsValue
        case .failed, .cancelled, .abandoned: return true
        }
    }

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
    @usableFromInline
    enum Joined: Sendable {
        case running(AnyFuture)
        /// The work is in its grace period. The caller must cancel this timer.
        case again(SharedEntry, AnyFuture, source: AnyFuture?, Registration?)
        /// With it the entry of work that has ended, and its future, which are released outside the lock.
        case first(SharedEntry, AnyFuture, former: SharedEntry?, AnyFuture?)

        /// The future of the callers.
        @usableFromInline var shared: AnyFuture {
            switch self {
            case .running(let shared), .again(_, let shared, _, _), .first(_, let shared, _, _): shared
            }
        }

        @usableFromInline var isRunning: Bool { if case .running = self { true } else { false } }
    }
}
