import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: debounce, throttle, timeout", .watchdog)
struct StreamTimeTests {
    private let clock = ManualContext()
    private let source = FutureStream<Int>()

    private func pass(_ tenths: Int) { clock.advance(by: .milliseconds(100 * tenths)) }

    // MARK: timeout

    @Test func `a stream whose next element takes too long fails, finishes and unsubscribes`() {
        let derived = source.timeout(.seconds(1), context: clock)
        pass(9)
        source.success(1)
        pass(9)
        source.failure(Oops.source)
        pass(9)
        #expect(derived.state == [1, .failure(Oops.source)])
        #expect(clock.timerCount == 1)
        pass(1)
        #expect(derived.state == [1, .failure(Oops.source), .failure(FuturesError.timedOut), .finish])
        #expect(clock.timerCount == 0)
        #expect(source.core.subscriberCount == 0)
        source.success(2)
        #expect(derived.count == 3)
    }

    @Test func `the timeout starts with the call`() throws {
        let derived = source.timeout(.seconds(1), context: clock)
        pass(10)
        let error = try #require(derived.futures.first?.result?.error as? FuturesError)
        guard case .timedOut(let duration, let site?) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(duration == .seconds(1))
        #expect(site.fileID.hasSuffix("StreamTimeTests.swift"))
        #expect("\(error)".contains("within 1.0 seconds of the call at \(site)"))
    }

    @Test func `a stream that ends in time cancels its timer`() {
        let token = CancelToken()
        let (finished, cancelled) = (
            source.timeout(.seconds(1), context: clock), source.timeout(.seconds(1), context: clock, cancelToken: token)
        )
        #expect(clock.timerCount == 2)
        token.cancel()
        #expect(clock.timerCount == 1)
        source.finish()
        #expect(clock.timerCount == 0)
        pass(20)
        #expect(finished.state == [.finish])
        #expect(cancelled.isCancelled)
    }

    @Test func `on a queue the timeout is measured from the last element`() async {
        let derived = source.timeout(.milliseconds(50), context: QueueContext.global)
        let start = ContinuousClock.now
        for value in 0..<100 { source.success(value) }
        await until { derived.isFinished }
        #expect(ContinuousClock.now - start >= .milliseconds(50))
        #expect(derived.count == 101)
        #expect(derived.state.suffix(2) == [.failure(FuturesError.timedOut), .finish])
    }

    @Test func `after its context is released there is no timeout, and elements are still passed on`() {
        let derived = source.timeout(.seconds(1), context: ManualContext())
        source.success(1)
        source.finish()
        #expect(derived.state == [1, .finish])
    }

    // MARK: debounce

    @Test func `debounce emits values that are followed by a pause`() {
        let derived = source.debounce(.seconds(1), context: clock)
        source.success(1)
        pass(9)
        source.success(2)
        pass(9)
        #expect(derived.state == [])
        pass(1)
        #expect(derived.state == [2])
        pass(100)
        source.success(3)
        pass(10)
        #expect(derived.state == [2, 3])
        #expect(clock.timerCount == 0)
    }

    @Test func `debounce has one timer for any number of values`() {
        let derived = source.debounce(.seconds(1), context: clock)
        for value in 0..<100 { source.success(value) }
        #expect(clock.timerCount == 1)
        pass(10)
        #expect(derived.state == [99])
        #expect(clock.pendingCount == 0)
    }

    @Test(
        arguments: [QueueContext.global, ImmediateContext(), DispatchQueue(label: "debounce")] as [any ExecutionContext]
    )
    func `on a queue debounce emits the last value, after a whole pause`(_ context: any ExecutionContext) async {
        let derived = source.debounce(.milliseconds(50), context: context)
        let heard = Log<Int>()
        derived.onSuccess(context: immediate) { heard.add($0) }
        var last = ContinuousClock.now
        for round in 0..<3 {
            for value in 1...100 {
                last = .now
                source.success(100 * round + value)
            }
            await until { heard.all.last == 100 * round + 100 }
            #expect(ContinuousClock.now - last >= .milliseconds(50))
        }
        source.success(301)
        source.failure(Oops.source)
        #expect(derived.state.suffix(2) == [301, .failure(Oops.source)])
        source.success(302)
        await until { heard.all.last == 302 }
        source.finish()
    }

    @Test func `a failure is emitted at once, after the waiting value`() {
        let derived = source.debounce(.seconds(1), context: clock)
        source.success(1)
        source.failure(Oops.source)
        #expect(derived.state == [1, .failure(Oops.source)])
        #expect(clock.timerCount == 0)
        source.failure(Oops.other)
        source.success(2)
        pass(10)
        #expect(derived.state == [1, .failure(Oops.source), .failure(Oops.other), 2])
    }

    @Test(arguments: [Emitter.Ending.finish, .promiseReleased])
    func `the finish is emitted at once, after the waiting value`(_ ending: Emitter.Ending) {
        let source = Emitter()
        let derived = source.stream.debounce(.seconds(1), context: clock)
        source.emit(1, 2)
        source.end(ending)
        #expect(derived.state == [2, .finish])
        #expect(clock.timerCount == 0)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `a duration of zero means as soon as the context runs it`(_ duration: Duration) {
        let debounced = source.debounce(duration, context: clock)
        let throttled = source.throttle(duration, context: clock)
        source.success(1)
        source.success(2)
        #expect(debounced.state == [])
        #expect(throttled.state == [1])
        clock.advance(by: .zero)
        #expect(debounced.state == [2])
        #expect(throttled.state == [1, 2])
    }

    // MARK: throttle

    @Test func `throttle emits the first value at once, and the latest at the end of the interval`() {
        let derived = source.throttle(.seconds(1), context: clock)
        source.success(1)
        #expect(derived.state == [1])
        source.success(2)
        pass(5)
        source.success(3)
        #expect(derived.state == [1])
        pass(5)
        #expect(derived.state == [1, 3])
        source.success(4)
        pass(9)
        #expect(derived.state == [1, 3])
        pass(1)
        #expect(derived.state == [1, 3, 4])
        pass(10)
        #expect(clock.timerCount == 0)
        source.success(5)
        #expect(derived.state == [1, 3, 4, 5])
    }

    @Test func `throttle without the latest leaves out all values that arrive too early`() {
        let derived = source.throttle(.seconds(1), latest: false, context: clock)
        for value in 1...3 { source.success(value) }
        pass(10)
        #expect(derived.state == [1])
        #expect(clock.timerCount == 0)
        source.success(4)
        source.success(5)
        source.finish()
        #expect(derived.state == [1, 4, .finish])
    }

    @Test func `throttle does not delay failures and the finish`() {
        let derived = source.throttle(.seconds(1), context: clock)
        source.success(1)
        source.success(2)
        source.failure(Oops.source)
        source.success(3)
        source.finish()
        #expect(derived.state == [1, 2, .failure(Oops.source), 3, .finish])
        #expect(clock.timerCount == 0)
    }

    // MARK: both

    private func derive(_ isThrottle: Bool, under token: CancelToken = .none) -> FutureStream<Int> {
        isThrottle
            ? source.throttle(.seconds(1), context: clock, cancelToken: token)
            : source.debounce(.seconds(1), context: clock, cancelToken: token)
    }

    @Test(arguments: [true, false], [true, false])
    func `after a cancellation the waiting value is not emitted, and the timer is freed`(
        _ isThrottle: Bool, _ isToken: Bool
    ) {
        let token = CancelToken()
        let derived = derive(isThrottle, under: token)
        source.success(1)
        source.success(2)
        #expect(clock.timerCount == 1)
        if isToken { token.cancel() } else { #expect(source.cancel(token)) }
        #expect(clock.timerCount == 0)
        #expect(source.core.subscriberCount == 0)
        pass(100)
        #expect(derived.state == (isThrottle ? [1, .cancel] : [.cancel]))
    }

    @Test(arguments: [true, false])
    func `after an explicit finish the waiting value is not emitted, and the timer is freed`(_ isThrottle: Bool) {
        let derived = derive(isThrottle)
        source.success(1)
        source.success(2)
        derived.finish()
        #expect(clock.timerCount == 0)
        #expect(source.core.subscriberCount == 0)
        pass(100)
        #expect(derived.state == (isThrottle ? [1, .finish] : [.finish]))
    }

    @Test(arguments: [true, false])
    func `a waiting value is released at the end`(_ isThrottle: Bool) {
        let source = FutureStream<Probe>(capacity: 0)
        let token = CancelToken()
        let derived =
            isThrottle
            ? source.throttle(.seconds(1), context: clock, cancelToken: token)
            : source.debounce(.seconds(1), context: clock, cancelToken: token)
        source.success(Probe())
        let watch = Watch { source.success($0) }
        #expect(!watch.isReleased)
        token.cancel()
        #expect(watch.isReleased)
        #expect(derived.isCancelled)
    }

    @Test(arguments: [true, false])
    func `without a reference and callbacks it has no timer`(_ isThrottle: Bool) {
        let token = CancelToken()
        var derived: FutureStream<Int>? = derive(isThrottle, under: token)
        source.success(1)
        #expect(clock.timerCount == 1)
        #expect(derived?.isFinished == false)
        derived = nil
        #expect(clock.timerCount == 0)
        source.success(2)
        #expect(clock.timerCount == 0)
        token.cancel()
        #expect(clock.timerCount == 0)
        #expect(source.core.subscriberCount == 0)
    }

    @Test(arguments: [true, false])
    func `replayed elements count as emitted now`(_ isThrottle: Bool) {
        for value in 1...3 { source.success(value) }
        let derived = derive(isThrottle)
        pass(10)
        #expect(derived.state == (isThrottle ? [1, 3] : [3]))
    }

    @Test(arguments: [true, false])
    func `a callback can emit into the source`(_ isThrottle: Bool) {
        let derived = derive(isThrottle)
        defer { source.finish() }
        derived.onSuccess(context: immediate) { [source] in if $0 < 5 { source.success($0 + 1) } }
        source.success(1)
        for _ in 0..<5 { pass(10) }
        #expect(derived.state == [1, 2, 3, 4, 5])
    }

    @Test(arguments: [true, false])
    func `on a queue the timers run on that queue`(_ isThrottle: Bool) async {
        let derived =
            isThrottle
            ? source.throttle(.milliseconds(1), context: DispatchQueue.global())
            : source.debounce(.milliseconds(1), context: DispatchQueue.global())
        let last = Future<Int>()
        derived.onSuccess(context: immediate) { if $0 == 3 { last.success($0) } }
        for value in 1...3 { source.success(value) }
        #expect(await last.end() == .success(3))
    }

    @Test(arguments: [true, false])
    func `a context that drops timers breaks it`(_ isThrottle: Bool) {
        let context = TimerDroppingContext()
        let derived =
            isThrottle
            ? source.throttle(.seconds(1), context: context) : source.debounce(.seconds(1), context: context)
        source.success(1)
        #expect(derived.state == [1, .broken, .finish])
        source.success(2)
        source.finish()
        #expect(derived.isFinished)
    }

    @Test func `without subscribers it has none`() {
        let derived = derive(false)
        #expect(derived.core.subscriberCount == 0)
    }

    @Test(.watchdog)
    func `a callback run by a timer can wait for an element that it emits itself`() {
        let derived = derive(false)
        defer { source.finish() }
        let heard = Future<Int>()
        let isOver = Box(false)
        derived.onFailure(context: immediate) { _ in heard.success(1) }
        derived.onSuccess(context: immediate) { [source] _ in
            source.failure(Oops.source)
            isOver.value = (try? heard.wait(timeout: .milliseconds(10))) != nil
        }
        source.success(1)
        pass(10)
        #expect(isOver.value)
    }

    @Test func `the registration of a fired timer is released outside the lock`() async {
        await #expect(processExitsWith: .success) {
            let context = CapturingTimers()
            let source = FutureStream<Int>(capacity: 0)
            source.debounce(.seconds(1), context: context).onComplete(context: ImmediateContext()) { _ in }
            context.next.value = { source.success(2) }
            source.success(1)
            context.clock.advance(by: .seconds(1))
        }
    }

    @Test func `a timer that fires while the source is canceled emits the value or nothing`() {
        race(rounds: Stress.rounds(100)) {
            let arena = TimedArena()
            arena.source.success(1)
            return arena
        } _: { arena in
            arena.clock.advance(by: .seconds(1))
        } _: { arena in
            arena.token.cancel()
        } check: { arena in
            try verify(
                arena.log.all == [1, .cancel] || arena.log.all == [.cancel], "one of the two: \(arena.log.all)")
            try verify(arena.clock.timerCount == 0, "the timer is freed")
        }
    }

    @Test func `a timer that fires while another value arrives emits both, in order`() {
        race(rounds: Stress.rounds(100)) {
            let arena = TimedArena()
            arena.source.success(1)
            return arena
        } _: { arena in
            arena.clock.advance(by: .seconds(1))
        } _: { arena in
            arena.source.success(2)
            arena.source.finish()
        } check: { arena in
            try verify(
                arena.log.all == [1, 2, .finish] || arena.log.all == [2, .finish], "in order: \(arena.log.all)")
            try verify(arena.clock.timerCount == 0, "the timer is freed")
        }
    }
}

private struct TimedArena: Sendable {
    let source = FutureStream<Int>(capacity: 0)
    let clock = ManualContext()
    let token = CancelToken()
    let log: Log<Heard<Int>>

    init() { log = source.debounce(.seconds(1), context: clock, cancelToken: token).heard() }
}

/// Timers whose first registration runs some code when it is released.
private final class CapturingTimers: ExecutionContext {
    let clock = ManualContext()
    let next = Box<(@Sendable () -> Void)?>(nil)

    func execute(_ task: @escaping @Sendable () -> Void) { clock.execute(task) }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        let registration = clock.execute(after: delay, task)
        let body = next.value
        next.value = nil
        let object = AtDeinit { body?() }
        return Registration {
            object.use()
            return registration.cancel()
        }
    }
}
