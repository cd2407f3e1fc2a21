import Dispatch

/// A timer that fires once and is gone, memory and all, as soon as it has fired or was canceled.
///
/// It is a timer source and not `asyncAfter`, whose block lives until the deadline even if it was canceled.
final class DispatchTimer: Sendable {
    /// Waiting; then fired, with the task on its way to its context; then over.
    private struct State {
        var source: (any DispatchSourceTimer)?
        var task: (@Sendable () -> Void)?
    }

    private let state: Lock<State>

    /// Starts a timer.
    ///
    /// - Parameters:
    ///   - delay: When to fire.
    ///   - queue: Where to wait.
    ///   - task: What to run.
    ///   - hop: Takes what the timer has fired to where the task is to run.
    static func start(
        after delay: Duration, on queue: DispatchQueue, _ task: @escaping @Sendable () -> Void,
        hop: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> Registration {
        let source = DispatchSource.makeTimerSource(queue: queue)
        let timer = DispatchTimer(source: source, task: task)
        source.schedule(deadline: .after(delay))
        // The source keeps the timer and the timer the source, until one of the two ends.
        source.setEventHandler {
            timer.stop()
            hop { timer.run() }
        }
        source.resume()
        return Registration { timer.cancel() }
    }

    private init(source: any DispatchSourceTimer, task: @escaping @Sendable () -> Void) {
        state = Lock(State(source: source, task: task))
    }

    private func stop() {
        state.withLock { $0.source.take() }?.cancel()
    }

    private func run() {
        state.withLock { $0.task.take() }?()
    }

    private func cancel() -> Bool {
        stop()
        return state.withLock { $0.task.take() } != nil
    }
}

extension DispatchTime {
    /// The time when a duration has passed: now for a negative one, and a century from now at the most.
    ///
    /// In nanoseconds of 64 bits, since a `DispatchTimeInterval` counts in `Int`, which holds two seconds where it has
    /// 32.
    static func after(_ duration: Duration) -> DispatchTime {
        let century = Duration.seconds(3_155_760_000)
        // Clamped before it is taken apart: `components` traps where the seconds do not fit.
        let (seconds, attoseconds) = min(max(duration, .zero), century).components
        return DispatchTime(
            uptimeNanoseconds: now().uptimeNanoseconds + UInt64(seconds) * 1_000_000_000
                + UInt64(attoseconds) / 1_000_000_000)
    }
}

extension Duration {
    /// A duration from seconds that may be negative, infinite or not a number.
    init(clampedSeconds seconds: Double) {
        self = seconds > 0 ? .seconds(min(seconds, Double(Int64.max / 2))) : .zero
    }
}
