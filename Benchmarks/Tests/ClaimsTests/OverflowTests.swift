import OpenCombine
import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("A buffer overflows", .timeLimit(.minutes(5)))
struct OverflowTests {
    @Test func `AsyncStream reports it to the producer, not to the loop`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(1)
        if case .dropped(let element) = continuation.yield(2) { #expect(element == 1) } else { Issue.record() }
        continuation.finish()
        #expect(await stream.reduce(into: []) { $0.append($1) } == [2])
    }

    @Test func `Combine drops elements silently, or fails with a custom error`() {
        #expect(Self.buffered(.dropOldest) == ["2", "finished"])
        #expect(Self.buffered(.customError { Oops() }) == ["1", "failure(ClaimsTests.Oops())"])
    }

    /// Returns the delivered ones of two elements that wait in a buffer with room for one.
    private static func buffered(_ strategy: Publishers.BufferingStrategy<Oops>) -> [String] {
        let subject = PassthroughSubject<Int, Oops>()
        let late = LateSubscriber()
        subject.buffer(size: 1, prefetch: .byRequest, whenFull: strategy).subscribe(late)
        subject.send(1)
        subject.send(2)
        subject.send(completion: .finished)
        late.subscription?.request(.unlimited)
        return late.heard.all
    }

    @Test func `SimpleFutures counts the lost elements for the loop`() async throws {
        let subscription = Self.overflowing(.newest(1))
        #expect(subscription.droppedCount == 1)
        #expect(try await subscription.reduce(into: []) { $0.append($1) } == [2])
    }

    @Test func `SimpleFutures can end the loop with an error that contains the number`() async throws {
        var iterator = Self.overflowing(.failing(1)).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        await #expect(throws: FuturesError.bufferOverflow(dropped: 1)) { try await iterator.next() }
    }

    @Test func `SimpleFutures can report the number of lost elements in their place, and continue`() async {
        var iterator = Self.overflowing(.reportingLag(1)).results.makeAsyncIterator()
        let lag = await iterator.next()
        #expect(lag?.error as? FuturesError == .bufferOverflow(dropped: 1))
        #expect(await iterator.next()?.value == 2)
        #expect(await iterator.next() == nil)
    }

    /// A subscription whose buffer has room for one of two elements.
    private static func overflowing(_ policy: StreamBufferingPolicy) -> FutureStreamSubscription<Int> {
        let promise = StreamPromise<Int>(capacity: 0)
        let subscription = promise.stream.subscription(buffering: policy)
        promise.success(1)
        promise.success(2)
        promise.finish()
        return subscription
    }
}

/// A subscriber that requests elements only when it is told to.
private final class LateSubscriber: Subscriber {
    typealias Input = Int
    typealias Failure = Oops

    let heard = Log<String>()
    var subscription: (any Subscription)?

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Int) -> Subscribers.Demand {
        heard.add("\(input)")
        return .none
    }

    func receive(completion: Subscribers.Completion<Oops>) { heard.add("\(completion)") }
}
