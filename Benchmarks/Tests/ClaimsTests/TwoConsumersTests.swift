import OpenCombine
import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("Two consumers both get every element", .timeLimit(.minutes(5)))
struct TwoConsumersTests {
    @Test func `AsyncStream divides the elements between them`() async {
        let stream = AsyncStream { continuation in
            for element in 1...2 { continuation.yield(element) }
        }
        var (first, second) = (stream.makeAsyncIterator(), stream.makeAsyncIterator())
        #expect(await first.next() == 1)
        #expect(await second.next() == 2)
    }

    @Test func `AsyncThrowingStream traps when both wait`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
            async let first: Void = { for try await _ in stream {} }()
            async let second: Void = { for try await _ in stream {} }()
            _ = try await (first, second)
            continuation.finish()
        }
        expect(result, toSay: "attempt to await next() on more than one task")
    }

    @Test func `Combine delivers every element to both callbacks`() {
        let (first, second) = (Log<Int>(), Log<Int>())
        let subject = PassthroughSubject<Int, Never>()
        let sinks = [first, second].map { log in subject.sink { log.add($0) } }
        for element in 1...3 { subject.send(element) }
        #expect(first.all == [1, 2, 3])
        #expect(second.all == [1, 2, 3])
        for sink in sinks { sink.cancel() }
    }

    @Test func `Combine loses elements that are emitted while a loop is busy`() async {
        let subject = PassthroughSubject<Int, Never>()
        var iterator = subject.values.makeAsyncIterator()
        subject.send(1)
        subject.send(completion: .finished)
        #expect(await iterator.next() == nil)
    }

    @Test func `SimpleFutures delivers every element to both callbacks and both loops`() async throws {
        let promise = StreamPromise<Int>(capacity: 0)
        let (first, second) = (Log<Int>(), Log<Int>())
        for log in [first, second] { promise.stream.onSuccess(context: ImmediateContext()) { log.add($0) } }
        let loops = [promise.stream.subscription(), promise.stream.subscription()]
        for element in 1...3 { promise.success(element) }
        promise.finish()
        #expect(first.all == [1, 2, 3])
        #expect(second.all == [1, 2, 3])
        for loop in loops {
            var elements: [Int] = []
            for try await element in loop { elements.append(element) }
            #expect(elements == [1, 2, 3])
        }
    }
}
