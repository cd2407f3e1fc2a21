import Dispatch
import Testing
@testable import SimpleFutures
@testable import TestSupport

@Suite("Programmer errors: numbers", .watchdog)
struct NumberTests {
    /// Every function with a capacity.
    enum Call: String, CaseIterable, Codable, CustomTestStringConvertible {
        case stream, ofValue, ofError, dependent, resolver, promise, method, flatMap, recoverWith

        var testDescription: String { rawValue }

        func make(_ capacity: Int) -> FutureStream<Int> {
            switch self {
            case .stream: FutureStream(capacity: capacity)
            case .ofValue: FutureStream(value: 1, capacity: capacity)
            case .ofError: FutureStream(error: Oops.other, capacity: capacity)
            case .dependent: FutureStream(capacity: capacity, dependent: FutureStream())
            case .resolver: FutureStream(capacity: capacity) { $0(.success(1)) }
            case .promise: StreamPromise(capacity: capacity).stream
            case .method: futureStream(capacity: capacity, method: { (block: (Int) -> Void) in block(1) })
            case .flatMap:
                Future(value: 1).flatMap(capacity: capacity, context: immediate) { FutureStream(value: $0) }
            case .recoverWith:
                Future(error: Oops.other)
                    .recoverWith(capacity: capacity, context: immediate) { _ in FutureStream(value: 1) }
            }
        }
    }

    @Test(arguments: Call.allCases, [Int.max, .max - 1, Int(UInt32.max) + 1])
    func `a huge capacity uses no memory until there are elements`(_ call: Call, _ capacity: Int) {
        let stream = call.make(capacity)
        #expect(stream.capacity == capacity)
        let before = stream.count
        if !stream.isFinished {
            for value in 0..<100 { stream.success(value) }
            #expect(stream.count == before + 100)
        }
    }

    /// A call with a number that makes no sense.
    enum Mistake: Codable {
        case capacity(Call)
        case take(Int)
        case drop(Int)
        case traverse(Int)
        case retry(Int)
        case retryWithBackoff(Int)
        case depth(Int)
        case factor, jitter
        case advance(Duration)

        static let all: [Mistake] =
            Call.allCases.map { .capacity($0) } + [.take(.min), .drop(-1), .depth(0), .depth(-1)]
            + [0, -1, .min].flatMap { [.traverse($0), .retry($0), .retryWithBackoff($0)] } + [.factor, .jitter]
            + extremes.filter { $0 < .zero }.map { .advance($0) }

        func make() {
            switch self {
            case .capacity(let call): _ = call.make(-1)
            case .take(let count): _ = FutureStream<Int>().take(count)
            case .drop(let count): _ = FutureStream<Int>().drop(count)
            case .traverse(let bound): _ = [1].traverse(maxConcurrent: bound) { Future(value: $0) }
            case .retry(let attempts): _ = Future<Int>.retry(attempts) { Future(value: 1) }
            case .retryWithBackoff(let attempts):
                _ = Future<Int>.retry(attempts, backoff: .constant(.zero)) { Future(value: 1) }
            case .depth(let depth): _ = MaxStackDepthContext(maxDepth: depth)
            case .factor: _ = Backoff.exponential(.seconds(1), factor: .nan)
            case .jitter: _ = Backoff.constant(.seconds(1)).jitter(-1...1)
            case .advance(let duration): ManualContext().advance(by: duration)
            }
        }

        /// What the message says.
        var texts: [String] {
            switch self {
            case .capacity: ["A FutureStream was given the capacity -1", "must be 0 or more", "Pass 0"]
            case .take(let count): ["`take` was given the count \(count)", "must be 0 or more", "Pass 0"]
            case .drop(let count): ["`drop` was given the count \(count)", "must be 0 or more", "Pass 0"]
            case .traverse(let bound): ["`traverse(maxConcurrent:)` was given \(bound)", "at least 1", "Pass 1"]
            case .retry(let attempts), .retryWithBackoff(let attempts):
                ["`retry` needs at least 1 attempt but was given \(attempts).", "The count includes the first"]
            case .depth(let depth): ["`MaxStackDepthContext(maxDepth:)` was given \(depth)", "at least 1", "Pass 1"]
            case .factor: ["`Backoff.exponential` was given the factor nan"]
            case .jitter: ["`Backoff.jitter` was given the range -1.0...1.0"]
            case .advance: ["`ManualContext.advance(by:)` was given -", "does not run backwards", "Pass `.zero`"]
            }
        }
    }

    @Test(arguments: Mistake.all)
    func `a number that makes no sense stops the program with a message that says what to do`(_ mistake: Mistake) async
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [mistake] in
            mistake.make()
        }
        for text in mistake.texts { expect(result, toSay: text) }
    }

    @Test func `maximum values are accepted`() {
        #expect(
            [1, 2].traverse(maxConcurrent: .max, context: immediate) { Future(value: $0) }.ended == .success([1, 2]))
        #expect(Future.retry(.max, context: immediate) { Future(value: 1) }.ended == .success(1))
        let stream = FutureStream<Int>()
        let (taken, dropped) = (stream.take(.max), stream.drop(.max))
        stream.success(1)
        stream.finish()
        #expect(taken.state == [1, .finish])
        #expect(dropped.state == [.finish])
    }
}

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
        #expect(every.futures.map(\.ended) == [.pending, .pending, .pending, .pending])
        #expect(every.debounced.state == [])
        #expect(every.throttled.state == [1])
        #expect(!every.token.isCancelled)
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

    @Test(arguments: [-Double.infinity, -Double.greatestFiniteMagnitude, -1, 0, .leastNonzeroMagnitude, 0.001, .nan])
    func `a queue's delay of zero, or not a number, ends soon, and an infinite one does no harm`(
        _ seconds: Double
    ) async {
        let (queue, log) = (Queue("delay"), Log<Void>())
        for never in [Double.infinity, .greatestFiniteMagnitude, 1e18, 9.3e18] {
            queue.delay(never) { log.add(()) }
        }
        await withCheckedContinuation { done in queue.delay(seconds) { done.resume() } }
        #expect(log.count == 0)
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
