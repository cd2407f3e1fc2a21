import Dispatch

/// A timer that fires once and is gone, memory and all, as soon as it has fired or was called off.
///
/// It is a timer source and not `asyncAfter`, whose block lives until the deadline even if it was cancelled.
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
        source.schedule(deadline: .now() + delay.dispatchInterval)
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

extension Duration {
    /// Zero for a negative duration, and no more than Dispatch can count: 292 years.
    var dispatchInterval: DispatchTimeInterval {
        // Compared before it is taken apart: `components` traps where the seconds do not fit.
        guard self > .zero else { return .nanoseconds(0) }
        guard self < .seconds(Int64.max / 1_000_000_000) else { return .never }
        let (seconds, attoseconds) = components
        return .nanoseconds(Int(clamping: seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }

    /// A duration from seconds that may be negative, infinite or not a number.
    init(clampedSeconds seconds: Double) {
        self = seconds > 0 ? .seconds(min(seconds, Double(Int64.max / 2))) : .zero
    }
}
