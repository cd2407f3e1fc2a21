import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 8: a derived stream without subscribers unsubscribes from its source", .watchdog)
struct StreamsEndTogetherTests {
    private let source = FutureStream<Int>(capacity: 10)
    private let clock = ManualContext()

    private var subscriberCount: Int { source.core.subscriberCount }

    /// The way in which a derived stream's only subscriber is unsubscribed, after or before the handle is dropped.
    enum Leaving: CaseIterable {
        case tokenIsCanceled, takeIsSatisfied, futureHasItsElement, firstIsDropped, targetFinishes, handleIsDroppedLast

        /// The ways that need no element.
        static let withoutElement = allCases.filter { $0 != .takeIsSatisfied && $0 != .futureHasItsElement }
    }

    private func subscribe(to derived: FutureStream<Int>, and leaving: Leaving, meanwhile: () -> Void) {
        let token = CancelToken()
        switch leaving {
        case .tokenIsCanceled:
            derived.onSuccess(context: immediate, cancelToken: token) { _ in }
            meanwhile()
            token.cancel()
        case .takeIsSatisfied:
            derived.take(1).onSuccess(context: immediate) { _ in }
            emit()
        case .futureHasItsElement:
            Future<Int>().completeWith(stream: derived)
            emit()
        case .firstIsDropped:
            let first = derived.first()
            first.onSuccess(context: immediate, cancelToken: token) { _ in }
            meanwhile()
            token.cancel()
        case .targetFinishes:
            let target = StreamPromise<Int>(capacity: 0)
            target.completeWith(stream: derived)
            meanwhile()
            target.finish()
        case .handleIsDroppedLast:
            derived.onSuccess(context: immediate, cancelToken: token) { _ in }
            meanwhile()
            token.cancel()
            #expect(subscriberCount > 0)
        }
    }

    private func emit() {
        source.failure(Oops.other)
        source.success(1)
        clock.advance(by: .seconds(1))
    }

    @Test(arguments: StreamCombinator.all)
    func `no subscription is left behind two combinators`(_ first: StreamCombinator) {
        for second in StreamCombinator.all {
            for leaving in Leaving.allCases {
                subscribe(
                    to: second.apply(to: first.apply(to: source, clock: clock), clock: clock), and: leaving,
                    meanwhile: emit)
                #expect(subscriberCount == 0 && clock.timerCount == 0, "\(second.name), \(leaving)")
            }
        }
    }

    @Test(arguments: StreamCombinator.all.filter { $0.inner != nil }, Leaving.withoutElement)
    func `nothing is left on pending inner futures and streams`(_ combinator: StreamCombinator, _ leaving: Leaving) {
        let (future, stream) = (Future<Int>(), FutureStream<Int>(capacity: 0))
        let pending = Use.Inner(future: { future }, stream: { stream })
        for second in StreamCombinator.all {
            for _ in 0..<3 {
                subscribe(
                    to: second.apply(to: combinator.apply(to: source, inner: pending), clock: clock), and: leaving,
                    meanwhile: emit)
            }
            let counts = [subscriberCount, future.observerCount, stream.core.subscriberCount]
            #expect(counts == [0, 0, 0], "\(second.name)")
        }
    }

    @Test(arguments: StreamCombinator.all)
    func `a stream that never had a subscriber keeps running its closure`(_ combinator: StreamCombinator) {
        _ = combinator.apply(to: source, clock: clock)
        #expect(subscriberCount > 0)
    }

    @Test(arguments: StreamCombinator.all)
    func `a callback for the end that unsubscribes leaves it running`(_ combinator: StreamCombinator) {
        let token = CancelToken()
        combinator.apply(to: source, clock: clock).onFinish(context: immediate, cancelToken: token) {}
        token.cancel()
        #expect(subscriberCount > 0)
    }

    @Test(arguments: StreamCombinator.all)
    func `a callback for the end does not keep it when its subscribers have left`(_ combinator: StreamCombinator) {
        let (token, ends) = (CancelToken(), Log<String>())
        do {
            let derived = combinator.apply(to: source, clock: clock)
            derived.onFinish(context: immediate) { ends.add("finished") }
            derived.onCancel(context: immediate) { ends.add("canceled") }
            derived.onSuccess(context: immediate, cancelToken: token) { _ in }
        }
        #expect(subscriberCount > 0)
        token.cancel()
        #expect(subscriberCount == 0)
        #expect(ends.all == ["canceled"])
    }

    @Test(arguments: StreamCombinator.all)
    func `while its handle is held it keeps running, and a later subscriber gets all elements`(
        _ combinator: StreamCombinator
    ) {
        let derived = combinator.apply(to: source, clock: clock)
        let token = CancelToken()
        derived.onSuccess(context: immediate, cancelToken: token) { _ in }
        token.cancel()
        source.success(1)
        clock.advance(by: .seconds(1))
        #expect(derived.state == [1])
    }

    @Test func `a chain is unsubscribed as a whole, with little stack`() {
        let token = CancelToken()
        onSmallStack { [source] in
            var stream = source
            for _ in 0..<Stress.size(2_000, full: 100_000) { stream = stream.map(context: immediate) { $0 } }
            stream.onSuccess(context: immediate, cancelToken: token) { _ in }
            stream = FutureStream()
            #expect(source.core.subscriberCount == 1)
            token.cancel()
        }
        #expect(subscriberCount == 0)
    }

    @Test func `a running closure can derive from the stream that is being unsubscribed`() {
        let inner = FutureStream<Int>(capacity: 0)
        let token = CancelToken()
        source
            .flatMap(context: immediate) { _ in
                token.cancel()
                return inner
            }
            .onSuccess(context: immediate, cancelToken: token) { _ in }
        source.success(1)
        #expect(subscriberCount == 0)
        #expect(inner.core.subscriberCount == 0)
    }
}
