import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Streams of asynchronous sequences", .watchdog)
struct AsyncSequenceStreamTests {
    @Test func `elements arrive in order, and the stream finishes with the sequence`() async throws {
        let (sequence, source) = AsyncStream<Int>.makeStream()
        let stream = sequence.futureStream(capacity: 10)
        for number in 0..<5 { source.yield(number) }
        source.finish()
        #expect(try await Array(stream.values) == [0, 1, 2, 3, 4])
        #expect(stream.isFinished)
        #expect(stream.count == 5)
    }

    @Test func `an error of the sequence is a failure, then the stream finishes`() async {
        let (sequence, source) = AsyncThrowingStream<Int, any Error>.makeStream()
        let stream = sequence.futureStream(capacity: .max)
        source.yield(1)
        source.finish(throwing: Failure())
        #expect(await stream.words() == ["1", "failure", "end"])
        #expect(stream.isFinished)
    }

    @Test func `a token cancels the iteration and the stream at once`() async {
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
        #expect(await stream.words() == ["1", "cancelled", "end"])
        #expect(token.registrationCount == 0)
    }

    @Test func `finishing the stream cancels the iteration`() async {
        let (sequence, source) = AsyncStream<Int>.makeStream()
        let isCancelled = source.whenCancelled()
        let stream = sequence.futureStream(capacity: 0)
        stream.finish()
        await isCancelled.value
        #expect(stream.isFinished)
    }

    @Test func `with a canceled token nothing is iterated`() async {
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

    @Test func `the iteration continues for subscribers when the stream is dropped`() async {
        let (sequence, source) = AsyncStream<Int>.makeStream()
        let isCancelled = source.whenCancelled()
        let values = Box<[Int]>([])
        sequence.futureStream(capacity: 0).map(context: immediate) { $0 * 2 }
            .onSuccess(context: immediate) { value in values.append(value) }
        source.yield(1)
        source.yield(2)
        await until { values.value == [2, 4] }
        source.finish()
        await isCancelled.value
    }

    @Test func `the iteration is canceled when the last subscriber of a dropped stream leaves`() async {
        let (sequence, source) = AsyncStream<Int>.makeStream()
        let isCancelled = source.whenCancelled()
        let token = CancelToken()
        let values = Box<[Int]>([])
        sequence.futureStream(capacity: 0)
            .onSuccess(context: immediate, cancelToken: token) { value in values.append(value)
            }
        source.yield(1)
        await until { values.value == [1] }
        token.cancel()
        await isCancelled.value
    }

    @Test func `sequences that end leave nothing registered with a long-lived token`() async throws {
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
        #expect(try await Array(stream.values) == [1, 2, 3])
    }

    @Test func `a stream of another stream's values has the same elements`() async {
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
            #expect(await back.words() == expected + ["end"])
        }
    }
}

extension AsyncStream.Continuation where Element: Sendable {
    /// A task that ends when the iteration was canceled or has ended.
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
