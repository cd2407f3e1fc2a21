public import SimpleFutures

/// A context with the timers of a clock, for callback code in tests with their own clock.
///
///     let context = ClockContext(testClock)
///     let late = profile.timeout(.seconds(5), context: context)
///     await testClock.advance(by: .seconds(5))
///
/// In an app, `ClockContext(.continuous)` makes timers that also count the time while the system sleeps.
///
/// Closures run on another context, in order with all others there. A timer is a task that waits for the clock, so its
/// closure runs slightly after its time: in a test, wait for the future that it completes. If you have the choice, use
/// ``SimpleFutures/ManualContext`` and its ``SimpleFutures/ManualContext/clock``, which need no such wait.
public final class ClockContext<C: Clock>: ExecutionContext, ContextWithTimers where C.Duration == Duration {
    private let clock: C
    private let start: C.Instant
    private let base: any ExecutionContext
    /// The route of the other context; nil if that would be a context of its own for each registration.
    private let baseRoute: _Route?

    /// Creates a context with the timers of a clock.
    ///
    /// - Parameters:
    ///   - clock: The clock for the timers.
    ///   - base: Runs the closures. An `ImmediateContext` runs them on the thread of a timer's task.
    public init(_ clock: C, on base: any ExecutionContext = QueueContext.futuresDefault) {
        self.clock = clock
        self.base = base
        let route = base._route
        baseRoute = route.hasIdentity ? route : nil
        start = clock.now
    }

    // Callbacks keep their order with all others on the context that it uses.
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var _route: _Route { baseRoute ?? .custom(self) }

    /// The time that has passed on the clock since the context was created.
    public var now: Duration { start.duration(to: clock.now) }

    /// Runs a closure on the other context.
    public func execute(_ task: @escaping @Sendable () -> Void) { base.execute(task) }

    /// Runs a closure on the other context after a delay on the clock.
    ///
    /// - Parameters:
    ///   - delay: How long to wait. Zero or less means as soon as the context runs it.
    ///   - task: The task to run.
    /// - Returns: A registration that cancels the task.
    @discardableResult
    public func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        let task = TimedTask(task)
        let deadline = clock.now.advanced(by: min(max(delay, .zero), .century))
        // Detached, as other registrations of the context have nothing to do with the values and the priority of this one.
        let sleeper = Task.detached(priority: .medium) { [clock, base] in
            // If the clock throws, the task must still run, so that its future is completed.
            try? await clock.sleep(until: deadline, tolerance: nil)
            if let task = task.depart() { base.execute(task) }
        }
        return Registration {
            let isCanceled = task.cancel()
            if isCanceled { sleeper.cancel() }
            return isCanceled
        }
    }
}
