import SimpleFutures
import Testing
@testable import TestSupport

@Suite("timeout", .watchdog)
struct TimeoutTests {
    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `in time it ends like the source, and frees the timer`(ending: Source.Ending, moment: Source.Moment) {
        let context = ManualContext()
        let future = Source.ending(ending, moment) { $0.timeout(.seconds(2), context: context) }
        #expect(future.ended == ending.passedOn(success: .success(1)))
        #expect(context.timerCount == 0)
        context.advance(by: .seconds(2))
        #expect(future.ended == ending.passedOn(success: .success(1)))
    }

    @Test func `the error contains duration and place, and can be caught without them`() throws {
        let context = ManualContext()
        let source = Future<Int>()
        let future = source.timeout(.seconds(2), context: context)
        let line = #line - 1
        context.advance(by: .seconds(2))
        let error = try #require(future.result?.error as? FuturesError)
        #expect(error == .timedOut)
        guard case .timedOut(let duration, let site) = error else { return }
        #expect(duration == .seconds(2))
        #expect(site?.line == line)
        #expect("\(error)".contains("no result within 2.0 seconds of the call at"))
        #expect("\(FuturesError.timedOut)".contains("no result in the time given."))
        do { throw error } catch FuturesError.timedOut {} catch { Issue.record("\(error)") }
        #expect(error != .noSuchElement && FuturesError.brokenPromise(createdAt: nil) == .brokenPromise(createdAt: nil))
    }

    @Test func `after the timeout it fails, and is unsubscribed from the source`() {
        let context = ManualContext()
        let source = Future<Int>()
        let future = source.timeout(.seconds(2), context: context)
        context.advance(by: .milliseconds(1999))
        #expect(future.ended == .pending)
        #expect(source.observerCount == 1)
        context.advance(by: .milliseconds(1))
        #expect(future.ended == .failure(FuturesError.timedOut))
        #expect(source.observerCount == 0)
        #expect(context.timerCount == 0)
        source.success(1)
        #expect(source.ended == .success(1))
        #expect(future.ended == .failure(FuturesError.timedOut))
    }

    @Test func `with a token it is unsubscribed too`() {
        let token = CancelToken()
        let context = ManualContext()
        let source = Future<Int>()
        let future = source.timeout(.seconds(1), context: context, cancelToken: token)
        #expect(token.registrationCount == 1)
        context.advance(by: .seconds(1))
        #expect(future.ended == .failure(FuturesError.timedOut))
        #expect(source.observerCount == 0)
        #expect(token.registrationCount == 0)
    }

    @Test func `a token cancels it and frees the timer`() {
        let token = CancelToken()
        let context = ManualContext()
        let source = Future<Int>()
        let future = source.timeout(.seconds(1), context: context, cancelToken: token)
        #expect(context.timerCount == 1)
        token.cancel()
        #expect(future.isCancelled)
        #expect(context.timerCount == 0)
        #expect(source.observerCount == 0)
    }

    @Test func `canceling the token on the source does the same`() {
        let token = CancelToken()
        let context = ManualContext()
        let source = Future<Int>()
        let future = source.timeout(.seconds(1), context: context, cancelToken: token)
        #expect(source.cancel(token))
        #expect(future.isCancelled)
        #expect(context.timerCount == 0)
    }

    @Test func `completed in another way, it frees the timer`() {
        let context = ManualContext()
        let source = Future<Int>()
        let future = source.timeout(.seconds(1), context: context)
        future.success(2)
        #expect(context.timerCount == 0)
        source.success(1)
        #expect(future.ended == .success(2))
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `a timeout of zero means as soon as the context runs it`(duration: Duration) {
        let context = ManualContext()
        let future = Future<Int>().timeout(duration, context: context)
        let broken = future.ended
        #expect(broken == .broken)
        let source = Future<Int>()
        let pending = source.timeout(duration, context: context)
        #expect(pending.ended == .pending)
        context.advance(by: .zero)
        #expect(pending.ended == .failure(FuturesError.timedOut))
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(3600)])
    func `a long timeout does no harm`(duration: Duration) {
        for context in [QueueContext.global, ImmediateContext(), ManualContext()] as [any ExecutionContext] {
            let source = Future<Int>()
            let future = source.timeout(duration, context: context)
            #expect(future.ended == .pending)
            source.success(1)
            #expect(future.ended == .success(1))
        }
    }

    @Test func `timer and source do not keep each other alive`() {
        let context = ManualContext()
        weak var weakSource: Future<Int>?
        let watch = Watch { probe in
            let source = Future<Int>()
            weakSource = source
            source.timeout(.seconds(1), context: context).onFailure(context: immediate) { _ in probe.use() }
        }
        #expect(weakSource == nil)
        #expect(context.timerCount == 0)
        #expect(watch.isReleased)
    }

    @Test func `waiters are released after the timeout, even if the source continues`() {
        let context = ManualContext()
        let source = Future<Int>()
        weak var weakFuture: Future<Int>?
        let watch = Watch { probe in
            let future = source.timeout(.seconds(1), context: context)
            future.onFailure(context: immediate) { _ in probe.use() }
            weakFuture = future
        }
        #expect(!watch.isReleased)
        context.advance(by: .seconds(1))
        #expect(watch.isReleased)
        #expect(weakFuture == nil)
    }

    @Test func `without waiters and holders it leaves its source, and frees its timer`() {
        let (source, context) = (Future<Int>(), ManualContext())
        for _ in 0..<100 { _ = source.timeout(.seconds(3_600), context: context) }
        #expect(source.observerCount == 0)
        #expect(context.timerCount == 0)
    }

    @Test(arguments: [true, false])
    func `when its last observer leaves, it leaves its source unless it is held`(isHeld: Bool) {
        let (source, token, heard, context) = (Future<Int>(), CancelToken(), Log<Int>(), ManualContext())
        var future: Future<Int>? = source.timeout(.seconds(1), context: context)
        for _ in 0..<2 { future?.onSuccess(context: immediate, cancelToken: token) { heard.add($0) } }
        if !isHeld { future = nil }
        #expect(source.observerCount == 1)
        token.cancel()
        #expect(source.observerCount == (isHeld ? 1 : 0))
        #expect(context.timerCount == (isHeld ? 1 : 0))
        future?.onSuccess(context: immediate) { heard.add($0) }
        future = nil
        source.success(5)
        #expect(heard.all == (isHeld ? [5] : []))
        #expect(context.timerCount == 0)
    }

    @Test func `a callback keeps it alive until the timeout`() {
        let (source, heard, context) = (Future<Int>(), Log<FuturesError>(), ManualContext())
        source.timeout(.seconds(1), context: context).onFailure(context: immediate) { error in
            if let error = error as? FuturesError { heard.add(error) }
        }
        context.advance(by: .seconds(1))
        #expect(heard.all == [.timedOut])
        #expect(source.observerCount == 0)
    }

    @Test func `registering on several threads loses neither a result nor the source`() {
        race(rounds: Stress.rounds(500)) {
            let source = Future<Int>()
            let future = Box<Future<Int>?>(source.timeout(.seconds(60), context: QueueContext.global))
            return (source: source, future: future, heard: Box(0))
        } _: { arena in
            let token = CancelToken()
            arena.future.value?.onSuccess(context: ImmediateContext(), cancelToken: token) { _ in }
            token.cancel()
        } _: { arena in
            arena.future.value?.onSuccess(context: ImmediateContext()) { arena.heard.value = $0 }
            arena.future.value = nil
        } check: { arena in
            try verify(arena.source.observerCount == 1, "the callback keeps it")
            arena.source.success(7)
            try verify(arena.heard.value == 7, "the callback has run")
        }
    }

    @Test func `a timeout can be recovered like any failure`() {
        let context = ManualContext()
        let source = Future<Int>()
        let result = source.timeout(.seconds(1), context: context).recover(context: immediate) { error in
            error as? FuturesError == .timedOut ? -1 : -2
        }
        context.advance(by: .seconds(1))
        #expect(result.ended == .success(-1))
    }

    @Test func `it works in real time`() async {
        let source = Future<Int>()
        let timedOut = Outcome<Int>.failure(FuturesError.timedOut)
        #expect(await source.timeout(.milliseconds(1), context: QueueContext.global).end() == timedOut)
        #expect(await source.timeout(.milliseconds(1), context: immediate).end() == timedOut)
        #expect(await source.timeout(.zero).end() == timedOut)
        // The end is observable slightly before the source is released.
        await until { source.observerCount == 0 }
    }
}
