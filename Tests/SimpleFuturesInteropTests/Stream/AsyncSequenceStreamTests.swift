import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Streams of asynchronous sequences", .watchdog)
struct AsyncSequenceStreamTests {
    @Test func `elements come in order, and the end finishes`() async throws {
        let (sequence, source) = AsyncStream<Int>.makeStream()
        let stream = sequence.futureStream(capacity: 10)
        for number in 0..<5 { source.yield(number) }
        source.finish()
        var values: [Int] = []
        for try await value in stream.values { values.append(value) }
        #expect(values == [0, 1, 2, 3, 4])
        #expect(stream.isFinished)
        #expect(stream.count == 5)
    }

    @Test func `what the sequence throws is a failure, then the stream finishes`() async {
        let (sequence, source) = AsyncThrowingStream<Int, any Error>.makeStream()
        let stream = sequence.futureStream(capacity: .max)
        source.yield(1)
        source.finish(throwing: Failure())
        var words: [String] = []
        var iterator = stream.results.makeAsyncIterator()
        while words.last != "end" { words.append(await iterator.word()) }
        #expect(words == ["1", "failure", "end"])
        #expect(stream.isFinished)
    }

    @Test func `a token cancels the iteration, and the stream at once`() async {
        let (sequence, source) = AsyncStream<Int>.makeStream()
        let isCancelled = source.whenCancelled()
        let token = CancelToken()
        let stream = sequence.futureStream(capacity: .max, cancelToken: token)
        source.yield(1)
        await until { stream.count == 1 }
        token.cancel()
        #expect(stream.isCancelled)
        #expect(!stream.isFinished)
        await isCancelled.value
        var words: [String] = []
        var iterator = stream.results.makeAsyncIterator()
        while words.last != "end" { words.append(await iterator.word()) }
        #expect(words == ["1", "cancelled", "end"])
        #expect(token.registrationCount == 0)
    }

    @Test func `a stream that is finished by hand cancels the iteration`() async {
        let (sequence, source) = AsyncStream<Int>.makeStream()
        let isCancelled = source.whenCancelled()
        let stream = sequence.futureStream(capacity: 0)
        stream.finish()
        await isCancelled.value
        #expect(stream.isFinished)
    }

    @Test func `under a token that is cancelled nothing is iterated`() async {
        let asked = Box(0)
        let sequence = AsyncStream<Int> {
            asked.change { $0 += 1 }
            return 1
        }
        let token = CancelToken()
        token.cancel()
        for _ in 0..<Stress.rounds(100) {
            let stream = sequence.futureStream(capacity: .max, cancelToken: token)
            #expect(stream.isCancelled)
            await Task.yield()
            #expect(stream.count == 0)
        }
        #expect(asked.value == 0)
    }

    @Test func `dropping the stream cancels the iteration`() async {
        let (sequence, source) = AsyncStream<Int>.makeStream()
        let isCancelled = source.whenCancelled()
        let token = CancelToken()
        var stream: FutureStream<Int>? = sequence.futureStream(capacity: 0, cancelToken: token)
        #expect(stream != nil)
        stream = nil
        await isCancelled.value
        await until { token.registrationCount == 0 }
    }

    @Test func `as long as somebody listens, the iteration goes on without the stream`() async {
        let (sequence, source) = AsyncStream<Int>.makeStream()
        let isCancelled = source.whenCancelled()
        let token = CancelToken()
        let values = Lock<[Int]>([])
        sequence.futureStream(capacity: 0).map(context: ImmediateContext()) { $0 * 2 }
            .onSuccess(context: ImmediateContext()) { value in values.withLock { $0.append(value) } }
        let other = Lock(sequenceOfNothing().futureStream(capacity: 0))
        source.yield(1)
        source.yield(2)
        await until { values.withLock { $0 } == [2, 4] }
        source.finish()
        await isCancelled.value
        _ = other
        token.cancel()
    }

    @Test func `when the last callback is detached from a stream that was dropped, the iteration is cancelled`() async {
        let (sequence, source) = AsyncStream<Int>.makeStream()
        let isCancelled = source.whenCancelled()
        let token = CancelToken()
        let values = Lock<[Int]>([])
        sequence.futureStream(capacity: 0)
            .onSuccess(context: ImmediateContext(), cancelToken: token) { value in values.withLock { $0.append(value) }
            }
        source.yield(1)
        await until { values.withLock { $0 } == [1] }
        token.cancel()
        await isCancelled.value
    }

    @Test func `the end of a long-lived token's sequences leaves nothing with it`() async throws {
        let token = CancelToken()
        for _ in 0..<100 {
            let (sequence, source) = AsyncStream<Int>.makeStream()
            let stream = sequence.futureStream(capacity: 1, cancelToken: token)
            source.yield(1)
            source.finish()
            for try await _ in stream.values {}
        }
        #expect(token.registrationCount == 0)
    }

    @Test func `a sequence that is not Sendable is handed over`() async throws {
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
        var values: [Int] = []
        for try await value in stream.values { values.append(value) }
        #expect(values == [1, 2, 3])
    }

    @Test func `a stream as a sequence as a stream is the same to those who see it`() async {
        var random = Seeded(seed: 3)
        for _ in 0..<100 {
            let promise = StreamPromise<Int>()
            let there = promise.stream
            let back = there.values.futureStream(capacity: .max)
            var expected: [String] = []
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                let number = Int.random(in: 0..<9, using: &random)
                promise.success(number)
                expected.append("\(number)")
            }
            if Bool.random(using: &random) {
                promise.failure(Failure())
                expected.append("failure")
            }
            promise.finish()
            var words: [String] = []
            var iterator = back.results.makeAsyncIterator()
            while words.last != "end" { words.append(await iterator.word()) }
            #expect(words == expected + ["end"])
        }
    }

    private func sequenceOfNothing() -> AsyncStream<Int> { AsyncStream { $0.finish() } }
}

extension AsyncStream.Continuation where Element: Sendable {
    /// Tells when the iteration was given up, or has come to its end.
    fileprivate func whenCancelled() -> Task<Void, Never> {
        let promise = Promise<Void>()
        onTermination = { _ in promise.trySuccess() }
        let future = promise.future
        return Task {
            _ = await future.outcome
            _ = promise
        }
    }
}
