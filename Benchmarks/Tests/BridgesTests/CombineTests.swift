@preconcurrency import OpenCombine
import SimpleFutures
import SimpleFuturesInterop
import Testing

/// OpenCombine has the API of Combine, which is on Apple's systems only.
@Suite("The bridges to Combine's publishers", .timeLimit(.minutes(1)))
struct CombineTests {
    private let immediate = ImmediateContext()

    @Test func `A publisher's elements and end arrive in the stream`() async throws {
        let subject = PassthroughSubject<Int, Oops>()
        let subscription = subject.futureStream(capacity: 0).subscription()
        subject.send(1)
        subject.send(2)
        subject.send(completion: .finished)
        var elements: [Int] = []
        for try await element in subscription { elements.append(element) }
        #expect(elements == [1, 2])
    }

    @Test func `A publisher's failure is an element, and then the stream finishes`() async {
        let subject = PassthroughSubject<Int, Oops>()
        let stream = subject.futureStream(capacity: 2)
        subject.send(1)
        subject.send(completion: .failure(Oops()))
        #expect(stream.isFinished)
        #expect(stream.futures.map { $0.result?.error is Oops } == [false, true])
    }

    @Test func `The subscription ends with the stream's last subscriber`() {
        let canceled = Log<String>()
        let subject = PassthroughSubject<Int, Oops>()
        let token = CancelToken()
        let stream = subject.handleEvents(receiveCancel: { canceled.add("canceled") }).futureStream(capacity: 0)
        stream.onSuccess(context: immediate, cancelToken: token) { _ in }
        #expect(canceled.all.isEmpty)
        token.cancel()
        #expect(canceled.all == ["canceled"])
    }

    @Test func `A publisher's first element is a future`() async throws {
        #expect(try await [4, 5, 6].publisher.futureStream(capacity: 0).first().value == 4)
    }

    @Test func `A stream's replayed and new elements and its end arrive at the sink`() {
        let promise = StreamPromise<Int>(capacity: 2)
        promise.success(1)
        let heard = Log<String>()
        let sink = StreamPublisher(stream: promise.stream)
            .sink(receiveCompletion: { heard.add("\($0)") }, receiveValue: { heard.add("\($0)") })
        promise.success(2)
        promise.finish()
        #expect(heard.all == ["1", "2", "finished"])
        sink.cancel()
    }

    @Test func `A stream's first failure ends the publisher`() {
        let promise = StreamPromise<Int>(capacity: 0)
        let heard = Log<String>()
        let sink = StreamPublisher(stream: promise.stream).sink(
            receiveCompletion: { if case .failure(let error) = $0 { heard.add("\(error)") } },
            receiveValue: { heard.add("\($0)") })
        promise.success(1)
        promise.failure(Oops())
        promise.success(2)
        #expect(heard.all == ["1", "Oops()"])
        sink.cancel()
    }

    @Test func `A canceled stream ends the publisher with CancellationError`() {
        let promise = StreamPromise<Int>(capacity: 0)
        let token = CancelToken()
        let heard = Log<String>()
        let sink = StreamPublisher(stream: promise.stream.map(context: immediate, cancelToken: token) { $0 }).sink(
            receiveCompletion: { if case .failure(let error) = $0 { heard.add("\(error)") } },
            receiveValue: { heard.add("\($0)") })
        token.cancel()
        #expect(heard.all == ["CancellationError()"])
        sink.cancel()
    }

    @Test func `A canceled sink hears nothing more, and leaves the stream`() {
        let promise = StreamPromise<Int>(capacity: 0)
        let heard = Log<Int>()
        let released = Watch { probe in
            let sink = StreamPublisher(stream: promise.stream).sink(
                receiveCompletion: { _ in },
                receiveValue: { [probe] in
                    probe.use(); heard.add($0)
                })
            promise.success(1)
            sink.cancel()
        }
        promise.success(2)
        #expect(heard.all == [1])
        #expect(released.isReleased)
    }

    @Test func `A subscriber that asks for two elements gets two, and later the rest`() {
        let promise = StreamPromise<Int>(capacity: 0)
        let subscriber = Patient()
        StreamPublisher(stream: promise.stream).subscribe(subscriber)
        subscriber.subscription?.request(.max(2))
        for element in 1...4 { promise.success(element) }
        #expect(subscriber.elements == [1, 2])
        subscriber.subscription?.request(.unlimited)
        #expect(subscriber.elements == [1, 2, 3, 4])
    }

    @Test func `A future's result arrives at the sink`() {
        let promise = SimpleFutures.Promise<Int>()
        let heard = Log<String>()
        let sink = promise.future.publisher()
            .sink(receiveCompletion: { heard.add("\($0)") }, receiveValue: { heard.add("\($0)") })
        promise.success(4)
        #expect(heard.all == ["4", "finished"])
        sink.cancel()
    }

    @Test func `A failed and a canceled future fail the publisher`() {
        let token = CancelToken()
        let pending = SimpleFutures.Promise<Int>()
        let canceled = pending.future.map(context: immediate, cancelToken: token) { $0 }
        token.cancel()
        let heard = Log<String>()
        for future in [SimpleFutures.Future(error: Oops()), canceled] {
            _ = future.publisher().sink(
                receiveCompletion: { if case .failure(let error) = $0 { heard.add("\(error)") } },
                receiveValue: { _ in })
        }
        #expect(heard.all == ["Oops()", "CancellationError()"])
    }
}

/// A subscriber that asks for elements only when the test does.
private final class Patient: Subscriber {
    private(set) var subscription: (any Subscription)?
    private(set) var elements: [Int] = []

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ element: Int) -> Subscribers.Demand {
        elements.append(element)
        return .none
    }

    func receive(completion: Subscribers.Completion<any Error>) {}
}
