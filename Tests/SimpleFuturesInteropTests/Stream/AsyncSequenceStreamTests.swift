import Observation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Streams of asynchronous sequences", .watchdog)
struct AsyncSequenceStreamTests {
    private let sequence: AsyncStream<Int>
    private let source: AsyncStream<Int>.Continuation
    /// Opened when the iteration was canceled or has ended.
    private let isOver = AsyncGate()

    init() {
        (sequence, source) = AsyncStream.makeStream()
        source.onTermination = { [isOver] _ in isOver.open() }
    }

    @Test(arguments: [true, false])
    func `a token cancels the stream at once, before its handlers run and inside a callback`(isSequence: Bool) {
        let (token, held, seen) = (CancelToken(), Box<FutureStream<Int>?>(nil), Log<Bool?>())
        token.onCancel { seen.add(held.value?.isCancelled) }
        held.value =
            isSequence
            ? sequence.futureStream(capacity: 0, cancelToken: token)
            : FutureStream(capacity: 0, cancelToken: token) { _ in }
        Future(value: 1).onSuccess(context: immediate) { _ in
            token.cancel()
            seen.add(held.value?.isCancelled)
        }
        #expect(seen.all == [true, true])
    }

    @Test(arguments: [true, false])
    func `a sequence that ignores a cancellation is left at its next element`(byToken: Bool) async {
        struct Endless: AsyncSequence, AsyncIteratorProtocol, Sendable {
            let witness: AtDeinit

            func makeAsyncIterator() -> Self { self }
            func next() async -> Int? {
                await Task.yield()
                return 1
            }
        }
        let (token, isReleased) = (CancelToken(), AsyncGate())
        let stream = Endless(witness: AtDeinit { isReleased.open() }).futureStream(capacity: 0, cancelToken: token)
        if byToken { token.cancel() } else { stream.finish() }
        await isReleased.pass()
        #expect(stream.isCancelled == byToken)
    }

    enum Use: CaseIterable { case stream, subscriber, merge, zip, first, timer }

    @Test(arguments: Use.allCases)
    func `a token unsubscribes everything before it stops a source or a timer`(_ use: Use) async {
        let (token, stops, later) = (CancelToken(), Log<Bool?>(), Box<Future<Int>?>(nil))
        let (pending, other) = (Future<Int>(), FutureStream<Int>())
        let stop: @Sendable () -> Void = { stops.add(later.value?.isCancelled) }
        let stream = FutureStream<Int>(capacity: 0, cancelToken: use == .stream ? token : .none) { emitter in
            CancelAction { withExtendedLifetime(emitter) { stop() } }
        }
        switch use {
        case .stream: stream.onSuccess(context: immediate) { _ in }
        case .subscriber: stream.onSuccess(context: immediate, cancelToken: token) { _ in }
        case .merge: other.merge(stream, cancelToken: token).onSuccess(context: immediate) { _ in }
        case .zip: other.zip(stream, cancelToken: token).onSuccess(context: immediate) { _ in }
        case .first: stream.first().timeout(.seconds(100), cancelToken: token).onSuccess(context: immediate) { _ in }
        case .timer:
            pending.timeout(.seconds(1), context: Watched(onCancel: stop), cancelToken: token)
                .onSuccess(context: immediate) { _ in }
        }
        later.value = pending.map(cancelToken: token) { $0 }
        token.cancel()
        #expect(stops.all == [true])
        withExtendedLifetime(other) {}
    }

    @Test(arguments: [false, true])
    func `elements arrive in order, an error is a failure, and the stream ends with the sequence`(fails: Bool) async {
        let (sequence, source) = AsyncThrowingStream<Int, any Error>.makeStream()
        let token = CancelToken()
        let stream = sequence.futureStream(capacity: 10, cancelToken: token)
        for number in 0..<5 { source.yield(number) }
        source.finish(throwing: fails ? Failure() : nil)
        #expect(await stream.words() == ["0", "1", "2", "3", "4"] + (fails ? ["failure"] : []) + ["end"])
        #expect(stream.isFinished && stream.count == (fails ? 6 : 5))
        await until { token.registrationCount == 0 }
    }

    @Test func `a token cancels the iteration and the stream at once`() async {
        let token = CancelToken()
        let stream = sequence.futureStream(capacity: .max, cancelToken: token)
        source.yield(1)
        await until { stream.count == 1 }
        token.cancel()
        #expect(stream.isCancelled && !stream.isFinished)
        await isOver.pass()
        #expect(await stream.words() == ["1", "cancelled", "end"])
        #expect(token.registrationCount == 0)
    }

    @Test(arguments: [false, true])
    func `a sequence that cancels its own task has not ended, so the stream is canceled`(fails: Bool) async {
        let sequence = AsyncThrowingStream<Int, any Error> {
            withUnsafeCurrentTask { $0?.cancel() }
            if fails { throw Failure() }
            return nil
        }
        let stream = sequence.futureStream(capacity: .max)
        #expect(await stream.words() == ["cancelled", "end"])
        #expect(stream.isCancelled && !stream.isFinished)
    }

    @Test func `with a canceled token nothing is iterated`() async {
        /// Counts the iterations. A task that iterates it holds it.
        struct Numbers: AsyncSequence {
            let iterations: Tally
            let holder: AtDeinit
            func makeAsyncIterator() -> AsyncStream<Int>.Iterator {
                iterations.add()
                return AsyncStream { nil }.makeAsyncIterator()
            }
        }
        let (token, iterations, isReleased) = (CancelToken(), Tally(), AsyncGate())
        token.cancel()
        let stream = Numbers(iterations: iterations, holder: AtDeinit { isReleased.open() })
            .futureStream(capacity: .max, cancelToken: token)
        #expect(stream.isCancelled)
        await isReleased.pass()
        #expect(iterations.count == 0)
    }

    @Test(arguments: ["finish", "drop", "cancel"])
    func `a stream without a replay buffer that ends before its first subscriber never iterates`(
        _ event: String
    ) async {
        struct Untouched: AsyncSequence, Sendable {
            let witness: AtDeinit
            func makeAsyncIterator() -> AsyncStream<Int>.Iterator { fatalError("iterated") }
        }
        let (token, isReleased) = (CancelToken(), AsyncGate())
        var stream: FutureStream<Int>? = Untouched(witness: AtDeinit { isReleased.open() })
            .futureStream(capacity: 0, cancelToken: token)
        switch event {
        case "finish": stream?.finish()
        case "drop": stream = nil
        default: token.cancel()
        }
        await isReleased.pass()
        #expect(stream?.isFinished != (event == "cancel"))
    }

    @Test(arguments: ["finish", "drop"])
    func `finishing the stream, or dropping it without subscribers, cancels the iteration`(_ event: String) async {
        let token = CancelToken()
        var stream: FutureStream<Int>? = sequence.futureStream(capacity: 1, cancelToken: token)
        if event == "finish" { stream?.finish() } else { stream = nil }
        await isOver.pass()
        #expect(stream?.isFinished != false)
        await until { token.registrationCount == 0 }
    }

    @Test(arguments: ["finish", "leave"])
    func `the iteration goes on for subscribers of a dropped stream, until the last one leaves`(_ event: String) async {
        let (token, values) = (CancelToken(), Box<[Int]>([]))
        sequence.futureStream(capacity: 0).map(context: immediate) { $0 * 2 }
            .onSuccess(context: immediate, cancelToken: token) { value in values.append(value) }
        source.yield(1)
        source.yield(2)
        await until { values.value == [2, 4] }
        if event == "finish" { source.finish() } else { token.cancel() }
        await isOver.pass()
    }

    @Test func `without a replay buffer the first subscriber gets all elements`() async {
        for number in 0..<3 { source.yield(number) }
        source.finish()
        let stream = sequence.futureStream(capacity: 0)
        let ended = Promise<Void>()
        stream.onFinish(context: immediate) { ended.success() }
        await Task.yield()
        #expect(!stream.isFinished)
        #expect(await stream.words() == ["0", "1", "2", "end"])
        #expect(await ended.future.outcome.error == nil)
    }

    @Test func `without a replay buffer a stream that nothing holds runs to its end for an onFinish`() async throws {
        let ended = Promise<Void>()
        sequence.futureStream(capacity: 0).onFinish(context: immediate) { ended.success() }
        source.yield(1)
        source.finish()
        try await ended.future.value
    }

    @Test func `a sequence that is not Sendable can be sent`() async throws {
        final class Numbers: AsyncSequence {
            var last = 0
            struct Iterator: AsyncIteratorProtocol {
                let numbers: Numbers
                mutating func next() async -> Int? {
                    numbers.last += 1
                    return numbers.last < 4 ? numbers.last : nil
                }
            }
            func makeAsyncIterator() -> Iterator { Iterator(numbers: self) }
        }
        let stream = FutureStream(Numbers(), capacity: 9)
        #expect(try await everything(in: stream.values) == [1, 2, 3])
    }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@MainActor @Observable private final class Counter {
    var count = 0
}

@MainActor @Suite("FutureStream(Observations)", .watchdog)
struct ObservationsTests {
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `observed values are elements, the current one first, until a token ends the observation`() async {
        // Without the token the observation would continue as long as the model exists, and it holds the model.
        let (counter, token, seen) = (Counter(), CancelToken(), Log<Int>())
        let stream = FutureStream(Observations { counter.count }, capacity: 1, cancelToken: token)
        stream.onSuccess(isolated: { seen.add($0) })
        await until { seen.all == [0] }
        counter.count = 1
        await until { seen.all == [0, 1] }
        counter.count = 2
        await until { seen.all == [0, 1, 2] }
        token.cancel()
        #expect(stream.isCancelled)
        counter.count = 3
        #expect(seen.all == [0, 1, 2])
    }
}
