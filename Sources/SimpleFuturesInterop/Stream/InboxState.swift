import SimpleFutures

/// The state machine of an iterator's buffer: how many elements it holds, and what becomes of others.
///
/// It knows nothing of the elements themselves.
@usableFromInline
package struct InboxState: Sendable {
    let policy: StreamBufferingPolicy
    /// How many elements the buffer holds.
    private var held = 0
    /// How many were dropped, in all.
    private(set) var dropped = 0
    /// How many were dropped since the consumer was told.
    private var lag = 0
    /// Whether a failing buffer was too small.
    private var hasOverflown = false
    /// How the stream has ended; nil while it has not.
    private var end: StreamSignal?
    /// Whether the consumer's task was canceled.
    private(set) var isCancelled = false
    /// Whether the consumer has had enough.
    private var isClosed = false
    private var waiter: UnsafeContinuation<Void, Never>?

    /// Whether the consumer takes one element at a time: where there is a bound, so that it holds for what the consumer
    /// has not yet got, and where somebody asks how much that is.
    var givesOneByOne: Bool

    init(_ policy: StreamBufferingPolicy) {
        self.policy = policy
        givesOneByOne = policy.kind != .unbounded
    }

    // MARK: The producer

    /// What to do with elements that come.
    @usableFromInline
    package struct Admission: Sendable {
        /// So many are to be dropped from the front of the buffer.
        @usableFromInline package var evicted = 0
        /// Those are to be appended.
        @usableFromInline package var appended: Range<Int>
    }

    mutating func admit(_ count: Int) -> Admission {
        guard !isClosed else { return Admission(appended: 0..<0) }
        switch policy.kind {
        case .unbounded:
            held += count
            return Admission(appended: 0..<count)
        case .newest, .reportingLag:
            let excess = max(0, held + count - policy.bound)
            let evicted = min(excess, held)
            drop(excess)
            held += count - excess
            return Admission(evicted: evicted, appended: (excess - evicted)..<count)
        case .oldest, .failing:
            let room = hasOverflown ? 0 : policy.bound - held
            let appended = min(count, room)
            drop(count - appended)
            held += appended
            if policy.kind == .failing, appended < count { hasOverflown = true }
            return Admission(appended: 0..<appended)
        }
    }

    private mutating func drop(_ count: Int) {
        dropped += count
        if policy.kind == .reportingLag { lag += count }
    }

    mutating func end(with signal: StreamSignal) { end = signal }

    /// Who is to be woken up since there is something to take.
    mutating func wake() -> UnsafeContinuation<Void, Never>? { isWorthWaking ? waiter.take() : nil }

    // MARK: The consumer

    /// What the consumer gets.
    @usableFromInline
    package enum Next: Sendable {
        /// Everything that the buffer holds.
        case all
        /// The first element of the buffer.
        case first
        /// A failure of the buffer itself; the loop goes on.
        case lag(Int)
        /// There will be nothing more.
        case end((any Error)?)
        /// There is nothing yet.
        case nothing
    }

    mutating func next() -> Next {
        if lag > 0 {
            defer { lag = 0 }
            return .lag(lag)
        }
        if held > 0 {
            held = givesOneByOne ? held - 1 : 0
            return givesOneByOne ? .first : .all
        }
        if hasOverflown { return .end(FuturesError.bufferOverflow(dropped: dropped)) }
        switch end {
        case .cancellation: return .end(CancellationError())
        case nil: return .nothing
        default: return .end(nil)
        }
    }

    /// Whether nothing has come.
    var isEmpty: Bool { !isWorthWaking }

    /// Whether somebody waits.
    var isAwaited: Bool { waiter != nil }

    private var isWorthWaking: Bool { isCancelled || lag > 0 || held > 0 || hasOverflown || end != nil }

    /// False when there is no need to wait.
    mutating func wait(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        guard !isWorthWaking else { return false }
        waiter = continuation
        return true
    }

    mutating func cancel() -> UnsafeContinuation<Void, Never>? {
        isCancelled = true
        return waiter.take()
    }

    /// The consumer wants no more; what was kept for it is dropped, and so much of what it has taken.
    mutating func close(_ taken: Int) {
        isClosed = true
        dropped += held + taken
        held = 0
    }
}
