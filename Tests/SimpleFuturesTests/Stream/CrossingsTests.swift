import SimpleFutures
import Testing
@testable import TestSupport

@Suite("From Future to FutureStream, and back", .watchdog)
struct CrossingsTests {
    // MARK: flatMap and recoverWith

    /// A function that makes a stream of a future, with a closure that returns a stream.
    enum Crossing: CaseIterable, Sendable {
        case flatMap, recoverWith

        func derive(
            from future: Future<Int>, capacity: Int = .max, on context: any ExecutionContext = immediate,
            under token: CancelToken = .none, _ inner: @escaping @Sendable () throws -> FutureStream<Int>
        ) -> FutureStream<Int> {
            switch self {
            case .flatMap:
                future.flatMap(capacity: capacity, context: context, cancelToken: token) { _ in try inner() }
            case .recoverWith:
                future.recoverWith(capacity: capacity, context: context, cancelToken: token) { _ in try inner() }
            }
        }

        /// A future whose result the closure handles.
        var source: Future<Int> { self == .flatMap ? Future(value: 1) : Future(error: Oops.source) }

        /// The elements for this end of the future; nil if the closure runs.
        func elements(of ending: Source.Ending) -> [Heard<Int>]? {
            switch ending {
            case .success: self == .flatMap ? nil : [1, .finish]
            case .failure: self == .recoverWith ? nil : [.failure(Oops.source), .finish]
            case .breach: self == .recoverWith ? nil : [.broken, .finish]
            case .cancellation: [.cancel]
            }
        }
    }

    @Test(arguments: Crossing.allCases, [false, true])
    func `a stream left by its last subscriber, before or after the future has ended, leaves the closure's stream`(
        _ crossing: Crossing, _ isBefore: Bool
    ) {
        let (source, inner, token, runs) = (Future<Int>(), FutureStream<Int>(capacity: 0), CancelToken(), Box(0))
        let derive = {
            crossing.derive(from: source, capacity: 0) {
                runs.increment()
                return inner
            }
        }
        derive().onSuccess(context: immediate, cancelToken: token) { _ in }
        // Without a subscriber it goes on.
        _ = derive()
        if isBefore { token.cancel() }
        if crossing == .flatMap { source.success(1) } else { source.failure(Oops.source) }
        #expect(runs.value == 2)
        #expect(inner.core.subscriberCount == (isBefore ? 1 : 2))
        token.cancel()
        #expect(inner.core.subscriberCount == 1)
    }

    @Test(arguments: Crossing.allCases, Source.Ending.allCases)
    func `the stream has the elements of the closure's stream, or the result that the closure does not handle`(
        _ crossing: Crossing, _ ending: Source.Ending
    ) {
        for (moment, end) in Source.Moment.allCases.flatMap({ moment in Emitter.Ending.allCases.map { (moment, $0) } })
        {
            let (inner, runs) = (Emitter(), Box(0))
            inner.emit(1)
            let stream = Source.ending(ending, moment) { [made = inner.stream] future in
                crossing.derive(from: future, capacity: 2) {
                    runs.increment()
                    return made
                }
            }
            #expect(stream.capacity == 2)
            inner.emit(2)
            inner.fail(Oops.other)
            inner.emit(3)
            let elements = crossing.elements(of: ending)
            #expect(stream.state == elements ?? [.failure(Oops.other), 3])
            #expect(runs.value == (elements == nil ? 1 : 0))
            inner.end(end)
            #expect(stream.state == elements ?? [.failure(Oops.other), 3, end.passedOn()])
        }
    }

    @Test(arguments: Crossing.allCases)
    func `an error thrown by the closure is the only element, and so is that of a context that drops it`(
        _ crossing: Crossing
    ) {
        let thrown = crossing.derive(from: crossing.source) { throw Oops.thrown }
        #expect(thrown.state == [.failure(Oops.thrown), .finish])
        let dropped = crossing.derive(from: crossing.source, on: DroppingContext()) { FutureStream(value: 1) }
        #expect(dropped.state == [.broken, .finish])
    }

    // MARK: first, and completeWith(stream:) of a future

    @Test(arguments: [Try<Int>.success(1), .failure(Oops.source)], [true, false])
    func `a future takes the first element, replayed or live, and releases the stream`(
        _ element: Try<Int>, _ isReplayed: Bool
    ) {
        let stream = FutureStream<Int>()
        let future = Future<Int>()
        if isReplayed { stream.complete(element) }
        let first = stream.first()
        future.completeWith(context: DroppingContext(), stream: stream)
        #expect(stream.core.subscriberCount == (isReplayed ? 0 : 2))
        if !isReplayed { stream.complete(element) }
        stream.success(2)
        #expect([first.ended, future.ended] == [Outcome(element), Outcome(element)])
        #expect(stream.core.subscriberCount == 0)
    }

    @Test(arguments: Emitter.Ending.allCases, [true, false])
    func `of a stream that ends without an element it fails, or is canceled`(
        _ ending: Emitter.Ending, _ isEarly: Bool
    ) {
        let source = Emitter()
        let future = Future<Int>()
        if isEarly { source.end(ending) }
        let first = source.stream.first()
        future.completeWith(stream: source.stream)
        if !isEarly { source.end(ending) }
        let expected: Outcome<Int> = ending == .cancellation ? .cancelled : .failure(FuturesError.noSuchElement)
        #expect([first.ended, future.ended] == [expected, expected])
    }

    @Test func `a token or another completion ends first, and leaves the stream and the token`() {
        let (stream, token) = (FutureStream<Int>(), CancelToken())
        let (first, done) = (stream.first(cancelToken: token), stream.first(cancelToken: token))
        done.success(5)
        #expect(stream.core.subscriberCount == 1)
        token.cancel()
        #expect(first.isCancelled && done.ended == .success(5))
        #expect(stream.core.subscriberCount == 0 && token.registrationCount == 0)
    }

    @Test(arguments: [true, false])
    func `a token cancels first and reduce at once, before its handlers run, and on the stream alone`(
        _ isInCallback: Bool
    ) {
        let (stream, token, other) = (FutureStream<Int>(), CancelToken(), CancelToken())
        @Sendable func check() {
            token.onCancel { stream.success(7) }
            func futures(_ token: CancelToken) -> [Future<Int>] {
                let reduced = stream.reduce(0, context: immediate, cancelToken: token) { $0 + $1 }
                return [stream.first(cancelToken: token), reduced]
            }
            let (canceled, detached) = (futures(token), futures(other))
            #expect(stream.cancel(other) && detached.allSatisfy { $0.isCancelled })
            token.cancel()
            #expect(canceled.allSatisfy { $0.isCancelled })
            #expect(stream.first(cancelToken: token).isCancelled)
            #expect(stream.core.subscriberCount == 0)
        }
        if isInCallback { Future(value: 1).onSuccess(context: immediate) { _ in check() } } else { check() }
        #expect(stream.state == [7])
    }

    @Test func `a future that is completed by other means, or by another stream, releases the stream`() {
        let streams = [FutureStream<Int>(), FutureStream<Int>()]
        let (raced, completed) = (Future<Int>(), Future<Int>())
        for stream in streams { raced.completeWith(stream: stream) }
        completed.completeWith(stream: streams[0])
        #expect(streams.map { $0.core.subscriberCount } == [2, 1])
        streams[1].success(1)
        completed.success(5)
        #expect([raced.ended, completed.ended] == [.success(1), .success(5)])
        completed.completeWith(stream: streams[0])
        #expect(streams.map { $0.core.subscriberCount } == [0, 0])
        #expect(completed.observerCount == 0)
    }

    @Test func `a future leaves the stream before its own callbacks run`() {
        let (stream, future, counts) = (FutureStream<Int>(), Future<Int>(), Log<Int>())
        future.onSuccess(context: immediate) { _ in counts.add(stream.core.subscriberCount) }
        future.completeWith(stream: stream)
        stream.success(1)
        #expect(counts.all == [0])
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

    @Test func `first unsubscribes when it has no waiters and is released`() {
        let (stream, token, heard) = (FutureStream<Int>(capacity: 0), CancelToken(), Log<Int>())
        _ = stream.first()
        #expect(stream.core.subscriberCount == 0)
        stream.first(cancelToken: CancelToken()).map(context: immediate, cancelToken: token) { heard.add($0) }
            .onSuccess(context: immediate) {}
        #expect(stream.core.subscriberCount == 1)
        token.cancel()
        #expect(stream.core.subscriberCount == 0)
        let held = stream.first()
        stream.first().onSuccess(context: immediate) { heard.add($0) }
        stream.success(1)
        #expect(heard.all == [1] && held.ended == .success(1))
        #expect(stream.core.subscriberCount == 0)
    }
}
