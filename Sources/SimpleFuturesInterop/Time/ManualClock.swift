public import SimpleFutures

extension ManualContext {
    /// A clock whose time is this context's, for code that sleeps on a clock: one `advance(by:)` moves both.
    ///
    ///     let context = ManualContext()
    ///     let poller = Poller(clock: context.clock)           // async code: try await clock.sleep(for: .seconds(5))
    ///     let stream = FutureStream.every(.seconds(5), context: context)
    ///     try await context.timers(atLeast: 2).value
    ///     context.advance(by: .seconds(5))
    public var clock: ManualClock { ManualClock(context: self) }
}

/// A clock that moves when a test says so: see ``SimpleFutures/ManualContext/clock``.
public struct ManualClock: Clock {
    /// A point in the time of a ``SimpleFutures/ManualContext``, which begins at zero.
    public struct Instant: InstantProtocol {
        /// How long after the beginning it is.
        public let offset: Duration

        /// The point that is so long after the beginning.
        public init(offset: Duration) { self.offset = offset }

        /// A later point.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// How long it is from here to another point.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether one comes before the other.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    /// How times are measured.
    public typealias Duration = Swift.Duration

    let context: ManualContext

    /// The context's time.
    public var now: Instant { Instant(offset: context.now) }

    /// The smallest difference that it can tell: an attosecond.
    public var minimumResolution: Duration { Duration(secondsComponent: 0, attosecondsComponent: 1) }

    /// Waits until the context's time has come.
    ///
    /// - Parameters:
    ///   - deadline: When to go on. If that is past, it returns at once.
    ///   - tolerance: Of no effect, as no time is spent.
    /// - Throws: `CancellationError` if the task is canceled, at once; the timer is freed.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let delay = now.duration(to: deadline)
        guard delay > .zero else { return }
        let token = CancelToken()
        try await Future.after(delay, value: (), context: context, cancelToken: token)
            .value(cancelling: token, onCancel: .abandon)
    }
}
