import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: debounce, throttle, timeout", .watchdog)
struct StreamTimeTests {
    private let clock = ManualContext()
    private let source = FutureStream<Int>()

    private func pass(_ tenths: Int) { clock.advance(by: .milliseconds(100 * tenths)) }

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
            await until { heard.last == 100 * round + 100 }
            #expect(ContinuousClock.now - last >= .milliseconds(50))
        }
        source.success(301)
        source.failure(Oops.source)
        #expect(derived.state.suffix(2) == [301, .failure(Oops.source)])
        source.success(302)
        await until { heard.last == 302 }
        source.finish()
    }

    @Test func `on a queue throttle emits the latest value at the end of the interval`() async {
        let last = Future<Int>()
        source.throttle(.milliseconds(1), context: DispatchQueue.global())
            .onSuccess(context: immediate) { if $0 == 3 { last.success($0) } }
        for value in 1...3 { source.success(value) }
        #expect(await last.end() == .success(3))
    }

    @Test func `with one timer for several elements, debounce and timeout wait for the rest of the time`() {
        let context = OneTimer(clock: clock)
        let debounced = source.debounce(.seconds(1), context: context)
        let limited = source.timeout(.seconds(1), context: context)
        source.success(1)
        pass(6)
        source.success(2)
        pass(9)
        #expect(debounced.state == [] && limited.state == [1, 2])
        #expect(clock.timerCount == 2)
        pass(1)
        #expect(debounced.state == [2])
        #expect(limited.state == [1, 2, .failure(FuturesError.timedOut), .finish])
    }

    // MARK: timeout

    @Test func `the timeout starts with the call`() throws {
        let derived = source.timeout(.seconds(1), context: clock)
        clock.advance(by: .seconds(1))
        let error = try #require(derived.futures.first?.result?.error as? FuturesError)
        guard case .timedOut(let duration, let site?) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(duration == .seconds(1))
        #expect(site.fileID.hasSuffix("StreamTimeTests.swift"))
        #expect("\(error)".contains("within 1.0 seconds of the call at \(site)"))
    }

    @Test(arguments: [true, false])
    func `on a queue the timeout is measured from the last element, a value or a failure`(isValue: Bool) async {
        let derived = source.timeout(.milliseconds(50), context: QueueContext.global)
        let end = Box<ContinuousClock.Instant?>(nil)
        derived.onFinish(context: immediate) { end.value = .now }
        var times: [ContinuousClock.Instant] = []
        repeat {
            times.append(.now)
            if isValue { source.success(1) } else { source.failure(Oops.source) }
        } while .now - times[0] < .milliseconds(60) && end.value == nil
        await until { end.value != nil }
        #expect(derived.state.suffix(2) == [.failure(FuturesError.timedOut), .finish])
        // A busy machine may delay an emission until after the timeout.
        let last = times[derived.count - 2]
        #expect(end.value.map { $0 - last >= .milliseconds(50) } == true)
    }

    @Test func `the timeout also reaches a callback for the end of a stream that never had a subscriber`() {
        let ends = Log<Int>()
        source.timeout(.seconds(1), context: clock).onFinish(context: immediate) { ends.add(1) }
        pass(10)
        #expect(ends.all == [1])
    }

    @Test func `after its context is released there is no timeout, and elements are still passed on`() {
        let derived = source.timeout(.seconds(1), context: ManualContext())
        source.success(1)
        source.finish()
        #expect(derived.state == [1, .finish])
    }

    // MARK: debounce and throttle

    private func pace<T: Sendable>(
        _ source: FutureStream<T>, _ isThrottle: Bool, on context: (any ExecutionContext)? = nil,
        under token: CancelToken = .none
    ) -> FutureStream<T> {
        isThrottle
            ? source.throttle(.seconds(1), context: context ?? clock, cancelToken: token)
            : source.debounce(.seconds(1), context: context ?? clock, cancelToken: token)
    }

    enum Ending: CaseIterable {
        case tokenIsCanceled, tokenIsCanceledOnSource, finishIsCalled
    }

    @Test(arguments: [true, false], Ending.allCases)
    func `if it is ended the waiting value is not emitted but released, and the timer is freed`(
        _ isThrottle: Bool, _ ending: Ending
    ) {
        let source = FutureStream<Probe>(capacity: 0)
        let token = CancelToken()
        let derived = pace(source, isThrottle, under: token)
        let heard = Log<Probe?>()
        derived.onComplete(context: immediate) { heard.add($0.value) }
        let first = Probe()
        source.success(first)
        let watch = Watch { source.success($0) }
        #expect(!watch.isReleased)
        #expect(clock.timerCount == 1)
        switch ending {
        case .tokenIsCanceled: token.cancel()
        case .tokenIsCanceledOnSource: #expect(source.cancel(token))
        case .finishIsCalled: derived.finish()
        }
        #expect(watch.isReleased)
        #expect(clock.timerCount == 0)
        #expect(source.core.subscriberCount == 0)
        pass(100)
        #expect(heard.all.map { $0 === first } == (isThrottle ? [true] : []))
        #expect(derived.isFinished == (ending == .finishIsCalled))
        #expect(derived.isCancelled == (ending != .finishIsCalled))
    }

    @Test(arguments: [true, false])
    func `without a reference and callbacks it has no timer`(_ isThrottle: Bool) {
        let token = CancelToken()
        var derived: FutureStream<Int>? = pace(source, isThrottle, under: token)
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
    func `a callback can emit into the source`(_ isThrottle: Bool) {
        let derived = pace(source, isThrottle)
        defer { source.finish() }
        derived.onSuccess(context: immediate) { [source] in if $0 < 5 { source.success($0 + 1) } }
        source.success(1)
        for _ in 0..<5 { pass(10) }
        #expect(derived.state == [1, 2, 3, 4, 5])
    }

    @Test(arguments: [true, false])
    func `a context that drops timers breaks it`(_ isThrottle: Bool) {
        let derived = pace(source, isThrottle, on: TimerDroppingContext())
        source.success(1)
        #expect(derived.state == [1, .broken, .finish])
        source.success(2)
        source.finish()
        #expect(derived.isFinished)
    }

    @Test func `a callback run by a timer can wait for an element that it emits itself`() {
        let derived = source.debounce(.seconds(1), context: clock)
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

    @Test(arguments: ["debounce", "throttle", "timeout"])
    func `the timer is canceled before the end can be seen`(_ name: String) {
        let (ends, derived) = (Box<[Bool?]>([]), Box<FutureStream<Int>?>(nil))
        let timers = NotedTimers { ends.append(derived.value?.isFinished) }
        derived.value =
            switch name {
            case "debounce": source.debounce(.seconds(1), context: timers)
            case "throttle": source.throttle(.seconds(1), context: timers)
            default: source.timeout(.seconds(1), context: timers)
            }
        source.success(1)
        ends.value = []
        source.finish()
        #expect(ends.value == [false])
        #expect(derived.value?.isFinished == true)
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
}

/// A context whose timers never fire, and tell when they are canceled.
private struct NotedTimers: ExecutionContext {
    let isCanceled: @Sendable () -> Void

    func execute(_ task: @escaping @Sendable () -> Void) { task() }

    func execute(after _: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        Registration {
            isCanceled()
            _ = task
            return true
        }
    }
}

/// A context that the library takes for one of its own, so that one timer serves several elements.
private struct OneTimer: ExecutionContext {
    let clock: ManualContext

    var _route: _Route { ImmediateContext()._route }
    var now: Duration { clock.now }

    func execute(_ task: @escaping @Sendable () -> Void) { task() }

    func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        clock.execute(after: delay, task)
    }
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
