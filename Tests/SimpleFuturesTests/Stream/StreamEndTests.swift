import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Elements and the end of a stream, through every derived operation", .watchdog)
struct StreamEndTests {
    private let clock = ManualContext()
    private let source = FutureStream<Int>()
    private let token = CancelToken()

    @Test(arguments: StreamCombinator.all, Emitter.Ending.allCases)
    func `elements pass in order, live and into the replay buffer, and after the last one the end`(
        _ combinator: StreamCombinator, _ ending: Emitter.Ending
    ) {
        for context in [immediate, InlineContext()] as [any ExecutionContext] {
            let source = Emitter()
            let derived = combinator.apply(to: source.stream, on: context, clock: clock)
            let log = derived.heard()
            for value in 1...3 {
                source.emit(value)
                clock.advance(by: .seconds(1))
            }
            source.fail()
            source.emit(4)
            // In the end a waiting value is not lost, but a cancellation does not wait for it.
            if ending == .cancellation { clock.advance(by: .seconds(1)) }
            source.end(ending)
            #expect(log.all == [1, 2, 3, combinator.passedOn(.source), 4, ending.passedOn()])
            #expect(derived.state == log.all)
            #expect(clock.pendingCount == 0)
            #expect(source.stream.core.subscriberCount == 0)
        }
    }

    @Test(arguments: StreamCombinator.all.filter { $0.takesClosure })
    func `closures run only on their context`(_ combinator: StreamCombinator) {
        let context = ManualContext()
        let derived = combinator.apply(to: source, on: context, clock: context)
        source.success(1)
        source.failure(Oops.source)
        source.finish()
        #expect(derived.state == [])
        context.run()
        #expect(derived.isFinished)
        #expect(Set(derived.state.map { "\($0)" }) == Set([1, combinator.passedOn(.source), .finish].map { "\($0)" }))
    }

    @Test(arguments: StreamCombinator.all, Emitter.Ending.allCases)
    func `a stream derived from an ended stream has ended`(_ combinator: StreamCombinator, _ ending: Emitter.Ending) {
        let source = Emitter(capacity: 0)
        source.emit(1)
        source.end(ending)
        let derived = combinator.apply(to: source.stream, clock: clock)
        #expect(derived.state == [ending.passedOn()])
        #expect(derived.heard().all == [ending.passedOn()])
    }

    @Test(arguments: StreamCombinator.all)
    func `the finish caused by the release of a stream is passed on`(_ combinator: StreamCombinator) {
        var bare: FutureStream<Int>? = FutureStream()
        let derived = combinator.apply(to: bare!, clock: clock)
        let log = derived.heard()
        bare = nil
        #expect(log.all == [.finish])
        #expect(derived.isFinished)
    }

    @Test(arguments: StreamCombinator.all.filter { $0.takesToken }, [true, false])
    func `unsubscribed by a token it is canceled at once`(_ combinator: StreamCombinator, _ isToken: Bool) {
        let derived = combinator.apply(to: source, clock: clock, under: token)
        let further = derived.map(context: immediate) { $0 }
        let log = further.heard()
        source.success(1)
        clock.advance(by: .seconds(1))
        if isToken { token.cancel() } else { #expect(source.cancel(token)) }
        #expect(source.core.subscriberCount == 0)
        source.success(2)
        source.finish()
        clock.advance(by: .seconds(1))
        #expect(log.all == [1, .cancel])
        #expect(derived.state == [1, .cancel])
        #expect(further.isCancelled && !further.isFinished)
        #expect(token.registrationCount == 0)
        #expect(clock.timerCount == 0)
    }

    @Test(arguments: StreamCombinator.all.filter { $0.takesToken })
    func `under a canceled token it is canceled from the start`(_ combinator: StreamCombinator) {
        source.success(1)
        token.cancel()
        let derived = combinator.apply(to: source, clock: clock, under: token)
        #expect(derived.state == [.cancel])
        #expect(derived.heard().all == [.cancel])
        #expect(source.core.subscriberCount == 0)
        #expect(clock.timerCount == 0)
    }

    @Test(arguments: StreamCombinator.all)
    func `code can emit into it, and an explicit finish releases the source at once`(_ combinator: StreamCombinator) {
        let derived = combinator.apply(to: source, clock: clock)
        let log = derived.heard()
        source.success(1)
        clock.advance(by: .seconds(1))
        #expect(source.core.subscriberCount > 0)
        derived.success(5)
        derived.finish()
        // The stream made by `zip` finishes through one more link.
        if combinator.name != "zip" { #expect(source.core.subscriberCount == 0) }
        source.success(2)
        source.finish()
        #expect(log.all == [1, 5, .finish])
        #expect(clock.timerCount == 0)
    }

    @Test(arguments: StreamCombinator.all.filter { $0.takesToken })
    func `a token canceled inside a callback of the derived stream ends it there`(_ combinator: StreamCombinator) {
        let derived = combinator.apply(to: source, clock: clock, under: token)
        let log = derived.heard()
        derived.onSuccess(context: immediate) { [token] _ in token.cancel() }
        for value in 1...3 {
            source.success(value)
            clock.advance(by: .seconds(1))
        }
        #expect(log.all == [1, .cancel])
        #expect(source.core.subscriberCount == 0)
    }

    @Test(arguments: StreamCombinator.all.filter { $0.takesClosure })
    func `a token canceled during the dispatch of an element cancels without that element`(
        _ combinator: StreamCombinator
    ) {
        let context = ManualContext()
        let derived = combinator.apply(to: source, on: context, clock: clock, under: token)
        source.success(1)
        source.failure(Oops.source)
        source.finish()
        token.cancel()
        #expect(derived.state == [.cancel])
        context.run()
        #expect(derived.state == [.cancel])
    }

    // MARK: Inner futures and streams

    @Test(arguments: Inner.combinators, Emitter.Ending.allCases)
    func `the end of the outer stream is passed on when it and the inner ones have ended`(
        _ combinator: StreamCombinator, _ ending: Emitter.Ending
    ) {
        for isOuterFirst in [true, false] {
            let inner = Inner(combinator)
            let source = Emitter()
            let derived = inner.apply(to: source.stream)
            let log = derived.heard()
            source.fail()
            source.emit(1)
            if isOuterFirst { source.end(ending) }
            #expect(log.all == [inner.passedOn])
            inner.succeed(5)
            if !isOuterFirst {
                inner.finish()
                #expect(log.all == [inner.passedOn, 5])
                source.end(ending)
            }
            inner.finish()
            #expect(log.all == [inner.passedOn, 5, ending.passedOn()])
            #expect(derived.state == log.all)
        }
    }

    @Test(arguments: Inner.combinators)
    func `a broken inner future is a failure, a released inner stream is a finish`(_ combinator: StreamCombinator) {
        let inner = Inner(combinator)
        let derived = inner.apply(to: source)
        source.failure(Oops.source)
        source.success(1)
        source.finish()
        inner.release()
        #expect(derived.isFinished)
        #expect(derived.state.contains(.broken) == inner.isFuture)
    }

    @Test(arguments: Inner.combinators, [true, false])
    func `a canceled inner stream or future makes the end a cancellation`(
        _ combinator: StreamCombinator, _ isLast: Bool
    ) {
        let inner = Inner(combinator)
        let derived = inner.apply(to: source)
        let log = derived.heard()
        source.failure(Oops.source)
        source.success(1)
        if isLast { source.finish() }
        inner.cancel()
        #expect(derived.isCancelled == isLast)
        if !isLast { source.finish() }
        #expect(derived.isCancelled && !derived.isFinished)
        #expect(log.all == [inner.passedOn, .cancel])
    }

    @Test(arguments: [true, false])
    func `of a canceled source, a late subscriber gets the results of the replayed elements`(isFlatMap: Bool) {
        let source = Emitter()
        if isFlatMap { source.emit(8) } else { source.fail() }
        source.end(.cancellation)
        let flat: FutureStream<Int> =
            isFlatMap
            ? source.stream.flatMap(context: immediate) { Future(value: $0 + 1) }
            : source.stream.recoverWith(context: immediate) { _ in Future(value: 9) }
        #expect(flat.heard().all == [9, .cancel])
    }
}

/// The future or stream that the closure of a combinator returns for an element.
private final class Inner: Sendable {
    static let combinators = StreamCombinator.all.filter { $0.inner != nil }

    private let combinator: StreamCombinator
    private let promise = Box<Promise<Int>?>(Promise())
    private let streamPromise = Box<StreamPromise<Int>?>(StreamPromise())
    private let token = CancelToken()
    private let future: Future<Int>
    private let stream: FutureStream<Int>

    init(_ combinator: StreamCombinator) {
        self.combinator = combinator
        future = promise.value!.future.map(context: immediate, cancelToken: token) { $0 }
        stream = streamPromise.value!.stream.map(context: immediate, cancelToken: token) { $0 }
    }

    var isFuture: Bool { combinator.inner == .future }

    /// Of a failure and the value 1, the element for which the closure does not run.
    var passedOn: Heard<Int> { combinator.runs == .value ? .failure(Oops.source) : 1 }

    func apply(to source: FutureStream<Int>) -> FutureStream<Int> {
        combinator.apply(to: source, inner: Use.Inner(future: { [future] in future }, stream: { [stream] in stream }))
    }

    func succeed(_ value: Int) {
        promise.value?.trySuccess(value)
        streamPromise.value?.success(value)
    }

    func finish() { streamPromise.value?.finish() }

    func cancel() { token.cancel() }

    func release() {
        promise.value = nil
        streamPromise.value = nil
    }
}
