import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

/// The shortest and the longest durations, and some beyond the range of seconds.
private let extremes: [Duration] = [
    .seconds(Int64.min) * 18, .seconds(Int64.min), .seconds(-1), .zero - .nanoseconds(1),
    .zero,
    Duration(secondsComponent: .max, attosecondsComponent: 0), .seconds(Int64.max) * 18,
    // The longest one in whole seconds, to which no time can be added.
    .seconds(Int64.max) * 18 + .seconds(4_120_486_797_083_267_205),
]

@Suite("Programmer errors: durations", .watchdog)
struct DurationTests {
    @Test(arguments: extremes.filter { $0 <= .zero })
    func `zero or less ends as soon as the context runs it`(_ duration: Duration) {
        let clock = ManualContext()
        let every = Timed(duration, on: clock)
        #expect(every.debounced.state == [])
        #expect(every.throttled.state == [1])
        clock.advance(by: .zero)
        #expect(every.futures.map(\.ended) == Timed.ends)
        #expect(every.debounced.state == [2])
        #expect(every.throttled.state == [1, 2])
        #expect(every.limited.isFinished)
        #expect(every.token.isCancelled)
        #expect(clock.timerCount == 0)
    }

    @Test(arguments: extremes.filter { $0 > .zero })
    func `the longest duration does not end within a century, and its timers can be canceled`(_ duration: Duration)
        async
    {
        for context in [ManualContext(), DispatchQueue(label: "long"), QueueContext.global, immediate]
            as [any ExecutionContext]
        {
            let every = Timed(duration, on: context)
            (context as? ManualContext)?.advance(by: .seconds(3_000_000_000))
            #expect(every.futures.map(\.ended).dropLast() == [.pending, .pending, .pending])
            if context is ManualContext { #expect(every.retried.ended == .pending) }
            #expect(every.debounced.state == [])
            #expect(every.throttled.state == [1])
            #expect(every.limited.state == [1, 2])
            #expect(!every.token.isCancelled)
            every.end.cancel()
            every.token.cancel()
            #expect(every.futures.map(\.ended).dropLast() == [.cancelled, .cancelled, .cancelled])
            // Its queue may be calling `while:` at this moment; then the answer is canceled.
            #expect(await every.retried.end() == .cancelled)
            #expect(every.debounced.isCancelled && every.throttled.isCancelled && every.limited.isCancelled)
            if let clock = context as? ManualContext { #expect(clock.timerCount == 0) }
        }
    }

    @Test(arguments: extremes.filter { $0 <= .zero })
    func `on a queue zero or less ends soon`(_ duration: Duration) async {
        let every = Timed(duration, on: DispatchQueue(label: "short"))
        for (future, end) in zip(every.futures, Timed.ends) { #expect(await future.end() == end) }
        await withCheckedContinuation { done in every.token.onCancel { done.resume() } }
    }

    @Test(arguments: extremes)
    func `a wait does not end before its timeout, and ends soon after it`(_ duration: Duration) async {
        let outcome = await onThread { () -> Outcome<Int> in
            let promise = Promise<Int>()
            if duration > .zero { DispatchQueue.global().async { promise.success(1) } }
            return Outcome(Try { try promise.future.wait(timeout: duration) })
        }
        #expect(outcome == (duration > .zero ? .success(1) : .failure(FuturesError.timedOut)))
    }

    @Test(arguments: [-Double.infinity, -Double.greatestFiniteMagnitude, -1, 0, .leastNonzeroMagnitude, .nan])
    func `a queue's delay of zero, or not a number, ends soon, and an infinite one does no harm`(
        _ seconds: Double
    ) async {
        for seconds in [Double.infinity, .greatestFiniteMagnitude] { Queue("delay").delay(seconds) {} }
        await withCheckedContinuation { done in Queue("delay").delay(seconds) { done.resume() } }
    }

    @Test(arguments: extremes.filter { $0 < .zero })
    func `advancing by a negative duration stops the program with a message that says what to do`(_ duration: Duration)
        async
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [duration] in
            ManualContext().advance(by: duration)
        }
        expect(result, toSay: "`ManualContext.advance(by:)` was given -", "does not run backwards", "Pass `.zero`")
    }

    @Test(arguments: extremes.filter { $0 >= .zero })
    func `after the maximum time the clock stands still, and timers still fire`(_ duration: Duration) {
        let clock = ManualContext()
        for _ in 0..<3 { clock.advance(by: duration) }
        let soon = Future.after(.zero, value: 1, context: clock)
        let late = Future.after(duration, value: 1, context: clock)
        clock.advance(by: duration)
        #expect(soon.ended == .success(1))
        #expect(late.ended == .success(1))
    }
}

/// Everything that takes a duration, with one token.
private struct Timed {
    let end = CancelToken()
    let token: CancelToken
    let delayed: Future<Int>
    let late: Future<Int>
    let after: Future<Int>
    let retried: Future<Int>
    let debounced: FutureStream<Int>
    let throttled: FutureStream<Int>
    let limited: FutureStream<Int>
    var futures: [Future<Int>] { [delayed, late, after, retried] }
    /// The results of these futures, if the time is over.
    static let ends: [Outcome<Int>] = [.success(1), .failure(FuturesError.timedOut), .success(1), .success(2)]
    private let pending = Future<Int>()
    private let source = FutureStream<Int>()

    init(_ duration: Duration, on context: any ExecutionContext) {
        token = CancelToken(after: duration, context: context)
        delayed = Future(value: 1).delay(duration, context: context, cancelToken: end)
        late = pending.timeout(duration, context: context, cancelToken: end)
        after = Future.after(duration, value: 1, context: context, cancelToken: end)
        let attempts = Box(0)
        retried = Future.retry(2, delay: duration, context: context, cancelToken: end) {
            attempts.increment()
            guard attempts.value > 1 else { throw Oops.thrown }
            return Future(value: attempts.value)
        }
        debounced = source.debounce(duration, context: context, cancelToken: end)
        throttled = source.throttle(duration, context: context, cancelToken: end)
        limited = source.timeout(duration, context: context, cancelToken: end)
        source.success(1)
        source.success(2)
        context.execute(after: duration) {}.cancel()
    }
}
