import SimpleFutures

/// The state machine of an iterator's buffer: how many elements it holds, and which are kept or dropped.
///
/// It does not store the elements.
@usableFromInline
struct InboxState: Sendable {
    let policy: StreamBufferingPolicy
    /// The number of elements in the buffer.
    private var held = 0
    /// The total number of dropped elements.
    private(set) var dropped = 0
    /// The number of elements dropped since the last report to the consumer.
    private var lag = 0
    /// Whether a buffer with the policy `failing` was too small.
    private var hasOverflown = false
    /// How many elements of the buffer come before the first failure that was dropped; nil if none was.
    private var heldBeforeLostFailure: Int?
    /// How the stream has ended; nil while it is open.
    private var end: StreamSignal?
    /// Whether the consumer's task was canceled.
    private(set) var isCancelled = false
    /// Whether the consumer has stopped iterating.
    private(set) var isClosed = false
    private var waiter: UnsafeContinuation<Void, Never>?

    /// Whether the consumer takes one element at a time.
    ///
    /// True with a bound, so that it covers all elements not yet received, and when a report needs the number of unread
    /// elements.
    var givesOneByOne: Bool

    init(_ policy: StreamBufferingPolicy) {
        self.policy = policy
        givesOneByOne = policy.kind != .unbounded
    }

    // MARK: The producer

    /// Decides which new elements to keep.
    @usableFromInline
    struct Admission: Sendable {
        /// The number of elements to drop from the front of the buffer.
        @usableFromInline var evicted = 0
        /// The new elements to append.
        @usableFromInline var appended: Range<Int>
        /// Whether elements are dropped.
        @usableFromInline var isLossy = false
    }

    mutating func admit(_ count: Int) -> Admission {
        guard !isClosed else {
            dropped += count
            return Admission(appended: 0..<0)
        }
        switch policy.kind {
        case .unbounded:
            held += count
            return Admission(appended: 0..<count)
        case .newest, .reportingLag:
            let excess = max(0, held + count - policy.bound)
            let evicted = min(excess, held)
            drop(excess)
            held += count - excess
            return Admission(evicted: evicted, appended: (excess - evicted)..<count, isLossy: excess > 0)
        case .oldest, .failing:
            let room = hasOverflown ? 0 : policy.bound - held
            let appended = min(count, room)
            drop(count - appended)
            held += appended
            if policy.kind == .failing, appended < count { hasOverflown = true }
            return Admission(appended: 0..<appended, isLossy: appended < count)
        }
    }

    /// Called when the last admission has dropped the first failure.
    mutating func loseFailure() {
        switch policy.kind {
        // It was older than all that is in the buffer.
        case .unbounded, .newest, .reportingLag: heldBeforeLostFailure = 0
        case .oldest, .failing: heldBeforeLostFailure = held
        }
    }

    private mutating func drop(_ count: Int) {
        dropped += count
        if policy.kind == .reportingLag { lag += count }
    }

    mutating func end(with signal: StreamSignal) { end = signal }

    /// Returns the waiter after an admission or the end: there is something to take.
    mutating func wake() -> UnsafeContinuation<Void, Never>? { waiter.take() }

    // MARK: The consumer

    /// The result of taking from the buffer.
    @usableFromInline
    enum Next: Sendable {
        /// All elements of the buffer.
        case all
        /// The first element of the buffer.
        case first
        /// A failure that reports lost elements; the loop continues.
        case lag(Int)
        /// The first failure that was dropped.
        case lostFailure
        /// The end.
        case end((any Error)?)
        /// Nothing is available yet.
        case nothing
    }

    /// - Parameter throwing: Whether a failure ends the loop. Then a failure that was dropped does so too, in its place:
    ///   before the elements of a buffer that keeps the newest; of a buffer that keeps the oldest, after the elements
    ///   that came before it.
    mutating func next(throwing: Bool) -> Next {
        if throwing, heldBeforeLostFailure == 0, !hasOverflown {
            // It is delivered, so it no longer counts as dropped. The loop ends with it.
            dropped -= 1
            return .lostFailure
        }
        if lag > 0 {
            defer { lag = 0 }
            return .lag(lag)
        }
        if held > 0 {
            held = givesOneByOne ? held - 1 : 0
            heldBeforeLostFailure = heldBeforeLostFailure.map { max(0, $0 - 1) }
            return givesOneByOne ? .first : .all
        }
        if hasOverflown { return .end(FuturesError.bufferOverflow(dropped: dropped)) }
        switch end {
        case .cancellation: return .end(CancellationError())
        case nil: return .nothing
        default: return .end(nil)
        }
    }

    /// Whether nothing is available.
    ///
    /// - Parameter throwing: Whether a failure ends the loop, even one that was dropped.
    func isEmpty(throwing: Bool) -> Bool { !hasSomething && !(throwing && heldBeforeLostFailure == 0) }

    /// Whether there is a waiter.
    var isAwaited: Bool { waiter != nil }

    private var hasSomething: Bool { isCancelled || held > 0 || hasOverflown || end != nil }

    /// Stores a waiter.
    ///
    /// Returns false when there is no need to wait.
    mutating func wait(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        guard !hasSomething else { return false }
        waiter = continuation
        return true
    }

    mutating func cancel() -> UnsafeContinuation<Void, Never>? {
        isCancelled = true
        return waiter.take()
    }

    /// Stops the buffer.
    ///
    /// Its elements count as dropped, and so do `taken` elements of the consumer's batch.
    mutating func close(_ taken: Int) {
        isClosed = true
        dropped += held + taken
        held = 0
    }
}
