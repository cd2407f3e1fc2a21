import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A stream that ticks", .watchdog)
final class EveryTests {
    /// Stops everything that a test has left running.
    private let closed = CancelToken()
    private let context = ManualContext()
    private let heard = Box<[Int]>([])

    deinit { closed.cancel() }

    private func every(_ period: Duration, capacity: Int = 0) -> FutureStream<Int> {
        .every(period, capacity: capacity, context: context, cancelToken: closed)
    }

    private func listen(to stream: FutureStream<Int>, cancelToken: CancelToken = .none) {
        stream.onSuccess(context: immediate, cancelToken: cancelToken) { [heard] in heard.append($0) }
    }

    @Test func `it emits 1, 2, 3 at equal intervals, beginning with the first subscription, and then again`() {
        let stream = every(.seconds(2))
        for _ in 0..<2 {
            let token = CancelToken()
            heard.value = []
            context.advance(by: .seconds(100))
            listen(to: stream, cancelToken: token)
            context.advance(by: .milliseconds(1_900))
            #expect(heard.value == [])
            context.advance(by: .milliseconds(100))
            #expect(heard.value == [1])
            context.advance(by: .seconds(4))
            #expect(heard.value == [1, 2, 3])
            token.cancel()
            #expect(context.pendingCount == 0)
        }
    }

    @Test func `intervals are equal on a context that wraps another one`() {
        let wrapping = TaskLocalContext(context, carrying: Noted.$id)
        listen(to: .every(.seconds(1), context: wrapping, cancelToken: closed))
        for second in 1...10 {
            context.advance(by: .seconds(1))
            #expect(heard.value == Array(1...second))
        }
    }

    @Test func `the registration of the last timer is released outside the lock`() {
        let (clock, token) = (context, CancelToken())
        let timers = NotedTimers(clock: clock) { AtDeinit { token.cancel() } }
        listen(to: .every(.seconds(1), context: timers, cancelToken: token))
        #expect(returns { clock.advance(by: .seconds(3)) })
        #expect(heard.value == [1])
    }

    @Test func `a context that runs timers twice adds no ticks`() {
        listen(to: .every(.seconds(1), context: TwiceTimers(clock: context), cancelToken: closed))
        context.advance(by: .seconds(3))
        #expect(heard.value == [1, 2, 3])
        #expect(context.pendingCount == 1)
    }

    private struct TwiceTimers: ExecutionContext {
        let clock: ManualContext

        var now: Duration { clock.now }

        func execute(_ task: @escaping @Sendable () -> Void) { clock.execute(task) }

        func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
            clock.execute(after: delay) {
                task()
                task()
            }
        }
    }

    /// A context whose registrations hold an object.
    private struct NotedTimers: ExecutionContext {
        let clock: ManualContext
        let object: @Sendable () -> AtDeinit

        var now: Duration { clock.now }

        func execute(_ task: @escaping @Sendable () -> Void) { clock.execute(task) }

        func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
            let (timer, object) = (clock.execute(after: delay, task), object())
            return Registration { withExtendedLifetime(object) { timer.cancel() } }
        }
    }

    @Test func `with a replay buffer the time begins with the call`() {
        let stream = every(.seconds(1), capacity: 2)
        context.advance(by: .seconds(3))
        listen(to: stream)
        #expect(heard.value == [2, 3])
        context.advance(by: .seconds(1))
        #expect(heard.value == [2, 3, 4])
    }

    @Test func `there is one timer while there are subscribers, until the token is canceled`() async {
        await expectLifetime(sources: { context.timerCount }) { capacity, token in
            .every(.seconds(1), capacity: capacity, context: context, cancelToken: token)
        }
    }

    @Test func `a token that is canceled inside a callback leaves no timer`() {
        let token = CancelToken()
        let stream = FutureStream.every(.seconds(1), context: context, cancelToken: token)
        stream.onSuccess(context: immediate) { [heard] number in
            heard.append(number)
            token.cancel()
        }
        context.advance(by: .seconds(1))
        #expect(stream.isCancelled && context.timerCount == 0)
        context.advance(by: .seconds(5))
        #expect(heard.value == [1])
    }

    @Test func `without a context it ticks in real time`() async throws {
        var last = 0
        for try await number in FutureStream.every(.milliseconds(1)).values {
            #expect(number > last)
            last = number
            if number > 3 { break }
        }
    }

    @Test(arguments: [Duration.nanoseconds(1), .seconds(1), .seconds(Int64.max)])
    func `a clock that jumps by any time does not overflow, and later ticks are a period apart`(_ period: Duration) {
        let clock = JumpingClock()
        listen(to: .every(period, context: clock, cancelToken: closed))
        for jump in [Duration.seconds(9_500_000_000), .seconds(Int64.max)] {
            clock.time.value = jump
            clock.fire()
        }
        #expect(heard.value.count == 2 && heard.value[0] <= heard.value[1])
        let (delay, century) = (clock.stop(), Duration.seconds(3_155_760_000))
        #expect(delay > .zero && delay <= min(period, century))
    }

    @Test func `a timer that fires although it was canceled sets no other`() {
        let clock = JumpingClock()
        listen(to: .every(.seconds(1), context: clock, cancelToken: closed))
        closed.cancel()
        clock.fire()
        #expect(clock.stop() == .zero)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `a period must be positive`(_ period: Duration) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [period] in
            _ = FutureStream.every(period)
        }
        expect(result, toSay: "`FutureStream.every` was given the period", "longer than zero", "Pass the time")
    }

    @Test func `subscribing on several threads leaves at most one timer`() async {
        let stream = every(.microseconds(10))
        await withTaskGroup { group in
            for thread in 0..<3 {
                group.addTask { [context] in
                    for _ in 0..<300 {
                        if thread == 0 {
                            context.advance(by: .microseconds(10))
                        } else {
                            let token = CancelToken()
                            stream.onSuccess(context: immediate, cancelToken: token) { _ in }
                            token.cancel()
                        }
                    }
                }
            }
        }
        #expect(context.timerCount == 0)
    }

    @Test func `late ticks are merged into one with the latest number, and the next one is in time`() {
        let (context, heard) = (context, heard)
        every(.seconds(1)).onSuccess(context: immediate) { number in
            heard.append(number)
            // Simulates a busy context.
            if number == 2 { context.advance(by: .milliseconds(3_400)) }
        }
        context.advance(by: .seconds(2))
        #expect(heard.value == [1, 2])
        // 5.4 seconds have passed: 3 and 4 are skipped.
        context.run()
        context.advance(by: .zero)
        #expect(heard.value == [1, 2, 5])
        context.advance(by: .milliseconds(500))
        #expect(heard.value == [1, 2, 5])
        context.advance(by: .milliseconds(100))
        #expect(heard.value == [1, 2, 5, 6])
    }

    @Test(arguments: [0, 1])
    func `releasing its context finishes it, and releases the callbacks`(_ capacity: Int) {
        let (finished, released) = (Box(0), Box(0))
        var context: ManualContext? = ManualContext()
        weak var releasedContext: ManualContext?
        releasedContext = context
        context.map { context in
            let stream = FutureStream.every(.seconds(1), capacity: capacity, context: context)
            stream.onSuccess(context: immediate) { [atDeinit = AtDeinit { released.increment() }] _ in _ = atDeinit }
            stream.onFinish(context: immediate) { finished.increment() }
            context.advance(by: .seconds(2))
        }
        context = nil
        #expect(releasedContext == nil)
        #expect(finished.value == 1)
        #expect(released.value == 1)
    }

    @Test(arguments: [Duration.nanoseconds(1), .nanoseconds(333), .milliseconds(7), .seconds(86_400)])
    func `times do not drift`(_ period: Duration) {
        listen(to: every(period))
        for tick in 1...200 {
            context.advance(by: period * tick - context.now)
            #expect(heard.value.last == tick)
        }
        #expect(heard.value == Array(1...200))
    }
}

/// A context with one timer, whose time the test sets.
private final class JumpingClock: ExecutionContext {
    let time = Box(Duration.zero)
    private let timer = Box<(delay: Duration, task: @Sendable () -> Void)?>(nil)

    var now: Duration { time.value }

    func fire() { timer.change { $0.take() }?.task() }

    /// Drops the timer, and returns its delay.
    func stop() -> Duration {
        defer { timer.value = nil }
        return timer.value?.delay ?? .zero
    }

    func execute(_ task: @escaping @Sendable () -> Void) { task() }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        timer.value = (delay, task)
        return Registration()
    }
}

private enum Noted { @TaskLocal static var id = 0 }
