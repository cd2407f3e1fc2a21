import SimpleFutures
import Testing
@testable import TestSupport

@Suite("From Future to FutureStream, and back", .watchdog)
struct CrossingsTests {
    // MARK: first

    @Test(arguments: [Try<Int>.success(1), .failure(Oops.source)])
    func `first takes the first element, replayed or live, and unsubscribes from the stream`(
        _ element: Try<Int>
    ) {
        for isReplayed in [true, false] {
            let stream = FutureStream<Int>()
            if isReplayed { stream.complete(element) }
            let first = stream.first()
            stream.complete(element)
            stream.success(2)
            #expect(first.result?.value == element.value)
            #expect(first.result?.error as? Oops == element.error as? Oops)
            #expect(stream.core.subscriberCount == 0)
        }
    }

    @Test func `first of a stream that ends without an element fails, or is canceled with it`() {
        let (stream, token) = (FutureStream<Int>(), CancelToken())
        let first = stream.first()
        let cancelled = stream.map(context: immediate, cancelToken: token) { $0 }.first()
        token.cancel()
        stream.finish()
        #expect(first.result?.error as? FuturesError == .noSuchElement)
        #expect(cancelled.isCancelled)
    }

    @Test func `a token cancels first, which unsubscribes from the stream`() {
        let (stream, token) = (FutureStream<Int>(), CancelToken())
        let (first, done) = (stream.first(cancelToken: token), stream.first(cancelToken: token))
        let log = Log<Int>()
        first.onCancel(context: immediate) { log.add(1) }
        done.success(5)
        #expect(stream.core.subscriberCount == 1)
        token.cancel()
        #expect(first.isCancelled && log.all == [1])
        #expect(done.result?.value == 5)
        #expect(stream.core.subscriberCount == 0)
        #expect(token.registrationCount == 0)
        #expect(stream.first(cancelToken: token).isCancelled)
    }

    // MARK: flatMap

    @Test(arguments: Source.Moment.allCases)
    func `flatMap subscribes to the stream that its closure returns for the value`(_ moment: Source.Moment) {
        let inner = FutureStream<Int>()
        inner.success(1)
        let stream = Source.ending(.success, moment) { $0.flatMap(capacity: 2, context: immediate) { _ in inner } }
        #expect(stream.capacity == 2)
        inner.success(2)
        inner.failure(Oops.other)
        inner.success(3)
        #expect(stream.state == [.failure(Oops.other), 3])
        inner.finish()
        #expect(stream.isFinished)
    }

    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `flatMap of a future that does not succeed`(_ ending: Source.Ending, _ moment: Source.Moment) {
        let runs = Log<Int>()
        let stream = Source.ending(ending, moment) { future in
            future.flatMap(context: immediate) { value in
                runs.add(value)
                return futureStream(value)
            }
        }
        #expect(stream.state == expected(ending))
        #expect(runs.count == (ending == .success ? 1 : 0))
    }

    private func expected(_ ending: Source.Ending) -> [Heard<Int>] {
        switch ending {
        case .success: [1, .finish]
        case .failure: [.failure(Oops.source), .finish]
        case .breach: [.broken, .finish]
        case .cancellation: [.cancel]
        }
    }

    @Test func `an error thrown by flatMap's closure is the only element`() {
        let stream = Future(value: 1).flatMap(context: immediate) { _ -> FutureStream<Int> in throw Oops.thrown }
        #expect(stream.state == [.failure(Oops.thrown), .finish])
    }

    @Test(arguments: [true, false])
    func `a token unsubscribes flatMap before and after the closure has run`(_ isBefore: Bool) {
        let token = CancelToken()
        let future = Future<Int>()
        let inner = FutureStream<Int>()
        let stream = future.flatMap(context: immediate, cancelToken: token) { _ in inner }
        let log = stream.heard()
        if !isBefore {
            future.success(1)
            inner.success(2)
        }
        token.cancel()
        #expect(log.all == (isBefore ? [.cancel] : [2, .cancel]))
        #expect(inner.core.subscriberCount == 0)
        #expect(future.observerCount == 0)
        #expect(token.registrationCount == 0)
    }

    @Test func `an inner stream that is canceled cancels`() {
        let inner = Emitter()
        let stream = Future(value: 1).flatMap(context: immediate) { [made = inner.stream] _ in made }
        inner.emit(1)
        inner.end(.cancellation)
        #expect(stream.state == [1, .cancel])
    }

    @Test func `flatMap runs its closure on its context`() {
        let context = ManualContext()
        let stream = Future(value: 1).flatMap(context: context) { futureStream($0) }
        #expect(stream.state == [])
        context.run()
        #expect(stream.state == [1, .finish])
        let dropped = Future(value: 1).flatMap(context: DroppingContext()) { futureStream($0) }
        #expect(dropped.state == [.broken, .finish])
    }

    @Test func `a stream of a pending future unsubscribes from the future when it is finished`() {
        let future = Future<Int>()
        let inner = FutureStream<Int>()
        let stream = future.flatMap(context: immediate) { _ in inner }
        stream.finish()
        future.success(1)
        inner.success(1)
        #expect(stream.state == [.finish])
        #expect(inner.core.subscriberCount == 0)
    }

    // MARK: recoverWith

    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `recoverWith passes a value on, and subscribes to the stream that its closure returns for an error`(
        _ ending: Source.Ending, _ moment: Source.Moment
    ) {
        let inner = FutureStream<Int>()
        let stream = Source.ending(ending, moment) { future in
            future.recoverWith(capacity: 5, context: immediate) { _ in inner }
        }
        inner.success(7)
        inner.finish()
        let expected: [Heard<Int>] =
            switch ending {
            case .success: [1, .finish]
            case .failure, .breach: [7, .finish]
            case .cancellation: [.cancel]
            }
        #expect(stream.state == expected)
        #expect(stream.capacity == 5)
    }

    @Test func `an error thrown by recoverWith's closure is the only element`() {
        let stream = Future<Int>(error: Oops.source)
            .recoverWith(context: immediate) { _ -> FutureStream<Int> in throw Oops.thrown }
        #expect(stream.state == [.failure(Oops.thrown), .finish])
    }

    @Test(arguments: [true, false])
    func `a token unsubscribes recoverWith before and after the closure has run`(_ isBefore: Bool) {
        let token = CancelToken()
        let future = Future<Int>()
        let inner = FutureStream<Int>()
        let stream = future.recoverWith(context: immediate, cancelToken: token) { _ in inner }
        if !isBefore {
            future.failure(Oops.source)
            inner.success(2)
        }
        token.cancel()
        #expect(stream.state == (isBefore ? [.cancel] : [2, .cancel]))
        #expect(inner.core.subscriberCount == 0)
        #expect(token.registrationCount == 0)
    }

    // MARK: future.completeWith(stream:)

    @Test(arguments: [true, false])
    func `a future takes the first element and releases the stream`(_ isEarly: Bool) {
        let stream = FutureStream<Int>()
        let future = Future<Int>()
        if isEarly { stream.success(1) }
        future.completeWith(context: DroppingContext(), stream: stream)
        #expect(stream.core.subscriberCount == (isEarly ? 0 : 1))
        if !isEarly { stream.success(1) }
        stream.success(2)
        #expect(future.ended == .success(1))
        #expect(stream.core.subscriberCount == 0)
    }

    @Test func `a failure is the first element too`() {
        let stream = FutureStream<Int>()
        let future = Future<Int>()
        future.completeWith(stream: stream)
        stream.failure(Oops.source)
        #expect(future.ended == .failure(Oops.source))
        #expect(stream.core.subscriberCount == 0)
    }

    @Test(arguments: Emitter.Ending.allCases, [true, false])
    func `a stream that ends without an element`(_ ending: Emitter.Ending, _ isEarly: Bool) {
        let source = Emitter()
        let future = Future<Int>()
        if isEarly { source.end(ending) }
        future.completeWith(stream: source.stream)
        if !isEarly { source.end(ending) }
        #expect(future.ended == (ending == .cancellation ? .cancelled : .failure(FuturesError.noSuchElement)))
    }

    @Test func `a future that is completed by other means releases the stream`() {
        let stream = FutureStream<Int>()
        let future = Future<Int>()
        future.completeWith(stream: stream)
        #expect(stream.core.subscriberCount == 1)
        future.success(5)
        #expect(stream.core.subscriberCount == 0)
        #expect(future.observerCount == 0)
        future.completeWith(stream: stream)
        #expect(stream.core.subscriberCount == 0)
    }

    @Test func `a promise can be released while the stream is pending`() {
        let stream = FutureStream<Int>()
        var promise: Promise<Int>? = Promise()
        let future = promise?.future
        future?.completeWith(stream: stream)
        promise = nil
        #expect(future?.ended == .pending)
        stream.success(1)
        #expect(future?.ended == .success(1))
    }

    @Test func `inside a callback of the stream it takes a replayed element or the next one`() {
        let stream = FutureStream<Int>(capacity: 0)
        let future = Future<Int>()
        let token = CancelToken()
        stream.onSuccess(context: immediate, cancelToken: token) { _ in
            token.cancel()
            future.completeWith(stream: stream)
        }
        stream.success(1)
        #expect(future.ended == .pending)
        stream.success(2)
        #expect(future.ended == .success(2))
        #expect(stream.core.subscriberCount == 0)
    }

    @Test func `two streams race for a future`() {
        let streams = [FutureStream<Int>(), FutureStream<Int>()]
        let future = Future<Int>()
        for stream in streams { future.completeWith(stream: stream) }
        streams[1].success(1)
        #expect(future.ended == .success(1))
        #expect(streams.map { $0.core.subscriberCount } == [0, 0])
    }
}
