public import SimpleFutures

/// A context whose timers are those of a clock, for callback code in tests that have a clock of their own.
///
///     let context = ClockContext(testClock)
///     let late = load().timeout(.seconds(5), context: context)
///     await testClock.advance(by: .seconds(5))
///
/// Closures run on another context. Whoever waits for a clock is a task, so a timer's closure runs a little after its time
/// has come: a test waits for the future that it completes. Where you have the choice, ``SimpleFutures/ManualContext``
/// and its ``SimpleFutures/ManualContext/clock`` need no such wait.
public final class ClockContext<C: Clock>: ExecutionContext where C.Duration == Duration {
    private let clock: C
    private let start: C.Instant
    private let base: any ExecutionContext

    /// Creates a context with the timers of a clock.
    ///
    /// - Parameters:
    ///   - clock: What measures the time.
    ///   - base: Where closures run. On an `ImmediateContext` it is the thread of a timer's task.
    public init(_ clock: C, on base: any ExecutionContext = QueueContext.futuresDefault) {
        self.clock = clock
        self.base = base
        start = clock.now
    }

    /// How long the clock has run since the context was created.
    public var now: Duration { start.duration(to: clock.now) }

    /// Runs a closure on the other context.
    public func execute(_ task: @escaping @Sendable () -> Void) { base.execute(task) }

    /// Runs a closure on the other context when time has passed on the clock.
    ///
    /// - Parameters:
    ///   - delay: How long to wait. Zero or less means as soon as the context runs it.
    ///   - task: What to run.
    /// - Returns: Calls it off.
    @discardableResult
    public func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        let waiting = Lock(Optional(task))
        let deadline = clock.now.advanced(by: delay)
        let sleeper = Task { [clock, base] in
            // A clock that fails must not make its caller wait forever.
            try? await clock.sleep(until: deadline, tolerance: nil)
            if let task = waiting.exchange(nil) { base.execute(task) }
        }
        return Registration {
            let isWaiting = waiting.exchange(nil) != nil
            if isWaiting { sleeper.cancel() }
            return isWaiting
        }
    }
}
