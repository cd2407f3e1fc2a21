import Dispatch

/// A timer that fires once and is freed as soon as it has fired or was canceled.
///
/// It uses a timer source instead of `asyncAfter`, whose closure lives until the deadline even after a cancellation.
final class DispatchTimer: Sendable {
    /// Nil when the timer has fired or was canceled.
    private let source: Lock<(any DispatchSourceTimer)?>
    private let task: TimedTask

    /// Starts a timer.
    ///
    /// - Parameters:
    ///   - delay: The delay until the timer fires.
    ///   - queue: The queue of the timer source.
    ///   - task: The task to run.
    ///   - hop: Moves from the timer's queue to the place where the task runs.
    static func start(
        after delay: Duration, on queue: DispatchQueue, _ task: @escaping @Sendable () -> Void,
        hop: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> Registration {
        let source = DispatchSource.makeTimerSource(queue: queue)
        let timer = DispatchTimer(source: source, task: task)
        source.schedule(deadline: .after(delay))
        // The source and the timer hold each other until the timer fires or is canceled.
        source.setEventHandler {
            timer.stop()
            if let task = timer.task.depart() { hop(task) }
        }
        source.resume()
        return Registration { timer.cancel() }
    }

    private init(source: any DispatchSourceTimer, task: @escaping @Sendable () -> Void) {
        self.source = Lock(source)
        self.task = TimedTask(task)
    }

    private func stop() { source.exchange(nil)?.cancel() }

    private func cancel() -> Bool {
        stop()
        return task.cancel()
    }
}

extension Duration {
    /// The longest time that a timer waits: clocks trap at instants that they cannot represent.
    ///
    /// Package hook.
    package static var century: Duration { .seconds(3_155_760_000 as Int64) }
}

extension DispatchTime {
    /// The time after a duration: now if the duration is negative, and at most a century from now.
    ///
    /// Computed in 64-bit nanoseconds, because `DispatchTimeInterval` stores an `Int`, which overflows after two
    /// seconds on 32-bit platforms.
    static func after(_ duration: Duration) -> DispatchTime {
        // Clamped first: `components` traps if the seconds do not fit.
        let (seconds, attoseconds) = min(max(duration, .zero), .century).components
        return DispatchTime(
            uptimeNanoseconds: now().uptimeNanoseconds + UInt64(seconds) * 1_000_000_000
                + UInt64(attoseconds) / 1_000_000_000)
    }
}

extension Duration {
    /// Creates a duration from seconds that may be negative, infinite or not a number.
    init(clampedSeconds seconds: Double) {
        self = seconds > 0 ? .seconds(min(seconds, Double(Int64.max / 2))) : .zero
    }
}
