import SimpleFutures

/// Calls a closure at a fixed interval, with one timer of a context after the other.
///
/// Only its timer keeps it alive. If the context drops that, the closure is released.
final class Ticker: Sendable {
    private struct State {
        var timer: Registration?
        var isStopped = false
        var count = 0
    }

    private let state = Lock(State())
    private let period: Duration
    private let context: any ExecutionContext
    /// The time of its creation, on the context's clock.
    private let beginning: Duration
    private let tick: @Sendable (Int) -> Void

    init(_ period: Duration, on context: any ExecutionContext, _ tick: @escaping @Sendable (Int) -> Void) {
        // Between a nanosecond and a century, so that multiples and quotients do not overflow.
        self.period = max(min(period, .century), .nanoseconds(1))
        self.context = context
        self.tick = tick
        beginning = context.now
    }

    /// The time since the beginning, limited so that the number of periods in it fits an `Int`.
    private var elapsed: Duration { min(context.now - beginning, longest) }

    /// Once a clock has jumped as far as this, each tick repeats the last number.
    private var longest: Duration { min(period, .seconds(1)) * (Int.max / 2) }

    func start() { wait() }

    func stop() {
        let timer = state.withLock { state -> Registration? in
            state.isStopped = true
            return state.timer.take()
        }
        timer?.cancel()
    }

    private func wait() {
        let next = state.withLock { $0.count + 1 }
        let timer = context.execute(after: period * next - elapsed) { self.fire(next) }
        // The former timer is released outside the lock.
        let (isLate, _) = state.withLock { state -> (Bool, Registration?) in
            // The timer may have already fired, and the next one be set.
            guard !state.isStopped, state.count == next - 1 else { return (state.isStopped, nil) }
            defer { state.timer = timer }
            return (false, state.timer)
        }
        if isLate { timer.cancel() }
    }

    private func fire(_ number: Int) {
        let passed = elapsed
        let count = state.withLock { state -> Int? in
            // A context may run a task twice.
            guard !state.isStopped, state.count < number else { return nil }
            state.count = passed < longest ? max(state.count + 1, multiples(in: passed)) : multiples(in: passed)
            return state.count
        }
        guard let count else { return }
        tick(count)
        wait()
    }

    private func multiples(in passed: Duration) -> Int {
        // The quotient is not exact.
        let estimate = max(0, Int(passed / period) - 1)
        return (0...2).reduce(estimate) { period * ($1 + estimate) <= passed ? $1 + estimate : $0 }
    }
}
