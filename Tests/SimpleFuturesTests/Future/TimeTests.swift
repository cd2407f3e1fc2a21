import SimpleFutures
import Testing
@testable import TestSupport

@Suite("delay and Future.after", .watchdog)
struct DelayTests {
    private let context = ManualContext()

    @Test(arguments: [DroppingContext(), TimerDroppingContext()] as [any ExecutionContext])
    func `they are broken if the context drops the timer or its task`(context: any ExecutionContext) async {
        let after = Future.after(.milliseconds(1), value: 1, context: context)
        let late = Future(value: 1).delay(.milliseconds(1), context: context)
        await until { after.completed && late.completed }
        #expect(after.ended == .broken && late.ended == .broken)
    }

    @Test func `they end when the time has passed since the completion or the call, not earlier, even if released`() {
        let (source, seen) = (Future<Int>(), Log<Int>())
        let late = source.delay(.seconds(2), context: context)
        context.advance(by: .seconds(10))
        source.success(1)
        Future.after(.seconds(2), value: 2, context: context).onSuccess(context: immediate) { seen.add($0) }
        let after = Future.after(.seconds(2), value: 7, context: context)
        context.advance(by: .milliseconds(1999))
        #expect([late.ended, after.ended] == [.pending, .pending])
        context.advance(by: .milliseconds(1))
        #expect([late.ended, after.ended] == [.success(1), .success(7)])
        #expect(seen.all == [2])
        #expect(context.pendingCount == 0)
    }

    @Test func `the label of after can be omitted, and for Void the value too`() {
        let number = Future.after(.seconds(1), 7, context: context)
        let nothing = Future.after(.seconds(1), context: context)
        context.advance(by: .seconds(1))
        #expect(number.ended == .success(7))
        #expect(nothing.completed)
    }

    @Test func `a delay, a timer, a timeout or a retry completed in another way frees its timer`() {
        let (source, attempts) = (Future<Int>(), Log<Void>())
        let timed = [
            Future(value: 1).delay(.seconds(1), context: context), .after(.seconds(1), value: 1, context: context),
            source.timeout(.seconds(1), context: context),
            .retry(3, delay: .seconds(1), context: context) {
                attempts.add(())
                throw Oops.thrown
            },
        ]
        context.run()
        for (index, future) in timed.enumerated() {
            #expect(context.timerCount == 4 - index)
            future.success(2)
        }
        #expect(context.timerCount == 0)
        source.success(1)
        context.advance(by: .seconds(1))
        #expect(timed.map { $0.ended } == Array(repeating: .success(2), count: 4))
        #expect(attempts.count == 1)
    }

    @Test func `a delay or a timer that is released frees its timer with its last subscriber`() {
        let (source, token) = (Promise<Int>(), CancelToken())
        func subscribe(to future: Future<Int>) {
            future.onSuccess(context: immediate, cancelToken: token) { _ in }
        }
        subscribe(to: source.future.delay(.seconds(1), context: context))
        source.success(1)
        subscribe(to: source.future.delay(.seconds(1), context: context))
        subscribe(to: .after(.seconds(1), value: 1, context: context))
        #expect(context.timerCount == 3)
        token.cancel()
        #expect(context.timerCount == 0)
        for future in [source.future.delay(.seconds(1), context: context), .after(.seconds(1), 1, context: context)] {
            withExtendedLifetime(future) { #expect(context.timerCount > 0) }
        }
        #expect(context.timerCount == 0)
    }

    @Test func `a token cancels after, frees the timer, and releases the value`() {
        let (context, token) = (context, CancelToken())
        let held = Box<Future<Probe>?>(nil)
        let watch = Watch { probe in
            held.value = Future.after(.seconds(1), value: probe, context: context, cancelToken: token)
        }
        #expect(context.timerCount == 1)
        token.cancel()
        #expect(held.value?.isCancelled == true)
        #expect(context.timerCount == 0)
        #expect(watch.isReleased)
    }
}

@Suite("timeout", .watchdog)
struct TimeoutTests {
    private let context = ManualContext()
    private let source = Future<Int>()

    @Test func `the error contains duration and place, and can be caught without them`() throws {
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
        #expect(error != .noSuchElement)
    }

    @Test(arguments: [true, false])
    func `after the timeout it fails, is unsubscribed from the source, and releases its waiters`(hasToken: Bool) {
        let token = CancelToken()
        weak var weakFuture: Future<Int>?
        let heard = Log<FuturesError?>()
        let watch = Watch { probe in
            let future = source.timeout(.seconds(2), context: context, cancelToken: hasToken ? token : .none)
            future.onFailure(context: immediate) { error in
                probe.use()
                heard.add(error as? FuturesError)
            }
            weakFuture = future
        }
        context.advance(by: .milliseconds(1999))
        #expect(weakFuture?.ended == .pending)
        #expect(source.observerCount == 1)
        #expect(token.registrationCount == (hasToken ? 1 : 0))
        #expect(!watch.isReleased)
        context.advance(by: .milliseconds(1))
        #expect(heard.all == [.timedOut])
        #expect(weakFuture == nil)
        #expect(watch.isReleased)
        #expect(source.observerCount == 0)
        #expect(token.registrationCount == 0)
        #expect(context.timerCount == 0)
        source.success(1)
        #expect(source.ended == .success(1))
        #expect(heard.count == 1)
    }

    @Test func `a future that has ended gets no timer`() {
        let timer = context.timers()
        #expect(Future(value: 1).timeout(.seconds(1), context: context).ended == .success(1))
        #expect(!timer.completed)
    }

    @Test(arguments: [true, false])
    func `when its last observer leaves, it leaves its source unless it is held`(isHeld: Bool) {
        let (token, heard) = (CancelToken(), Log<Int>())
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

    @Test func `a delay that has ended releases its result, even if its context does not cancel the timer`() {
        let context = Uncancelable(clock: context)
        #expect(Watch { _ = Future(value: $0).delay(.seconds(1), context: context) }.isReleased)
    }

    @Test(arguments: [true, false])
    func `a token cancels the timer when everything under it is unsubscribed`(isTimeout: Bool) {
        let (token, last, log) = (CancelToken(), Box<Future<Int>?>(nil), Log<Bool>())
        let clock = Watched { log.add(last.value?.isCancelled == true) }
        let first =
            isTimeout
            ? source.timeout(.seconds(1), context: clock, cancelToken: token)
            : Future.after(.seconds(1), value: 1, context: clock, cancelToken: token)
        last.value = source.map(context: immediate, cancelToken: token) { $0 }
        token.cancel()
        #expect(first.isCancelled)
        #expect(log.all == [true])
    }

    // MARK: timeout(_:cancelling:)

    @Test func `a timer that its context does not cancel cancels no token when the future has ended in time`() {
        let token = CancelToken()
        let limited = source.timeout(.seconds(1), cancelling: token, context: Uncancelable(clock: context))
        source.success(1)
        context.advance(by: .seconds(1))
        #expect(limited.ended == .success(1))
        #expect(!token.isCancelled)
    }

    @Test func `a timeout fails the future, then cancels the work`() {
        let (promise, token, log) = (Promise<Int>(), CancelToken(), Log<String>())
        let work = promise.future.map(context: immediate, cancelToken: token) { $0 }
        _ = token.onCancel { log.add("stopped") }
        let limited = work.timeout(.seconds(1), cancelling: token, context: context)
        limited.onFailure(context: immediate) { log.add("\($0)") }
        context.advance(by: .seconds(1))
        #expect(limited.ended == .failure(FuturesError.timedOut))
        #expect(work.isCancelled)
        #expect(log.all.count == 2 && log.all.last == "stopped")
    }

    @Test func `with retry no attempt is left running, and the result is an error`() {
        let (running, closed, request) = (Box(0), CancelToken(), source)
        let context = context
        let result = Future<Int>.retry(3, context: context, cancelToken: closed) {
            let attempt = closed.child()
            running.change { $0 += 1 }
            _ = attempt.onCancel { running.change { $0 -= 1 } }
            return request.timeout(.seconds(1), cancelling: attempt, context: context)
        }
        for _ in 0..<3 {
            context.run()
            #expect(running.value == 1)
            context.advance(by: .seconds(1))
        }
        context.run()
        #expect(result.ended == .failure(FuturesError.timedOut))
        #expect(running.value == 0)
    }
}
