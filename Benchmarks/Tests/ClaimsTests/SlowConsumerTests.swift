import OpenCombine
import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("A slow consumer slows the producer down", .timeLimit(.minutes(5)))
struct SlowConsumerTests {
    @Test func `AsyncStream can produce on demand`() async {
        let produced = Log<Int>()
        let stream = AsyncStream {
            produced.add(produced.all.count)
            return produced.all.count
        }
        var iterator = stream.makeAsyncIterator()
        for _ in 1...2 { _ = await iterator.next() }
        #expect(produced.all.count == 2)
    }

    @Test func `AsyncStream accepts all elements that are yielded`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        for element in 0..<1_000 { continuation.yield(element) }
        continuation.finish()
        #expect(await stream.reduce(0) { count, _ in count + 1 } == 1_000)
    }

    @Test func `Combine produces as much as requested`() {
        let produced = Log<Int>()
        let twice = TwoSubscriber()
        (0..<1_000).publisher.handleEvents(receiveOutput: { produced.add($0) }).subscribe(twice)
        #expect(produced.all == [0, 1])
    }

    @Test func `SimpleFutures accepts all elements that are emitted`() async throws {
        let promise = StreamPromise<Int>(capacity: 0)
        let subscription = promise.stream.subscription()
        for element in 0..<1_000 { promise.success(element) }
        promise.finish()
        #expect(try await subscription.reduce(0) { count, _ in count + 1 } == 1_000)
    }
}

/// A subscriber that requests two elements.
private final class TwoSubscriber: Subscriber {
    typealias Input = Int
    typealias Failure = Never

    func receive(subscription: any Subscription) { subscription.request(.max(2)) }

    func receive(_ input: Int) -> Subscribers.Demand { .none }

    func receive(completion: Subscribers.Completion<Never>) {}
}
