public import SimpleFutures

extension ManualContext {
    /// A clock with this context's time, for code that sleeps on a clock: `advance(by:)` moves both.
    ///
    ///     let context = ManualContext()
    ///     let pause = Task { try await context.clock.sleep(for: .seconds(5)) }
    ///     let late = profile.timeout(.seconds(5), context: context)
    ///     try await context.timers(atLeast: 2).value          // the sleep and the timeout
    ///     context.advance(by: .seconds(5))
    public var clock: ManualClock { ManualClock(context: self) }
}

/// A clock that tests move: see ``SimpleFutures/ManualContext/clock``.
public struct ManualClock: Clock {
    /// A point in the time of a ``SimpleFutures/ManualContext``, which begins at zero.
    public struct Instant: InstantProtocol {
        /// The time since the beginning.
        public let offset: Duration

        /// Creates a point in time from the time since the beginning.
        public init(offset: Duration) { self.offset = offset }

        /// Returns a later point in time.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the time from this point to another one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether one is earlier than the other.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    /// The unit of the clock.
    public typealias Duration = Swift.Duration

    let context: ManualContext

    /// The context's time.
    public var now: Instant { Instant(offset: context.now) }

    /// The smallest difference between two times: an attosecond.
    public var minimumResolution: Duration { Duration(secondsComponent: 0, attosecondsComponent: 1) }

    /// Waits until the context reaches a time.
    ///
    /// - Parameters:
    ///   - deadline: The time to wait for. If it has passed, the call returns at once.
    ///   - tolerance: Ignored.
    /// - Throws: `CancellationError` at once if the task is canceled; the timer is freed.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        while case let time = now, time < deadline {
            let token = CancelToken()
            let timer = Future.after(time.duration(to: deadline), value: (), context: context, cancelToken: token)
            // If the time has moved in between, the timer is too late.
            if now == time { return try await timer.value(cancelling: token, onCancel: .abandon) }
            token.cancel()
        }
    }
}
