import SimpleFutures
import Testing
@testable import TestSupport

@Suite("delay and Future.after", .watchdog)
struct DelayTests {
    private let context = ManualContext()

    @Test func `the delay begins with the completion, and ends when the time has passed, not earlier`() {
        let source = Future<Int>()
        let late = source.delay(.seconds(2), context: context)
        context.advance(by: .seconds(10))
        source.success(1)
        context.advance(by: .milliseconds(1999))
        #expect(late.ended == .pending)
        context.advance(by: .milliseconds(1))
        #expect(late.ended == .success(1))
        #expect(context.pendingCount == 0)
    }

    @Test(arguments: [DroppingContext(), TimerDroppingContext()] as [any ExecutionContext])
    func `they are broken if the context drops the timer or its task`(context: any ExecutionContext) async {
        let after = Future.after(.milliseconds(1), value: 1, context: context)
        let late = Future(value: 1).delay(.milliseconds(1), context: context)
        await until { after.completed && late.completed }
        #expect(after.ended == .broken && late.ended == .broken)
    }

    @Test func `after succeeds when the time has passed, not earlier, and calls back even if it is released`() {
        let seen = Log<Int>()
        Future.after(.seconds(2), value: 1, context: context).onSuccess(context: immediate) { seen.add($0) }
        let future = Future.after(.seconds(2), value: 7, context: context)
        context.advance(by: .milliseconds(1999))
        #expect(future.ended == .pending)
        context.advance(by: .milliseconds(1))
        #expect(future.ended == .success(7))
        #expect(seen.all == [1])
        #expect(context.timerCount == 0)
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
        let future = Future.after(.seconds(1), value: 1, context: context, cancelToken: token)
        #expect(context.timerCount == 2)
        token.cancel()
        #expect(future.ended == .cancelled)
        #expect(context.timerCount == 0)
        #expect(watch.isReleased)
    }

    @Test func `delays and timeouts work in real time`() async {
        let (source, timedOut) = (Future<Int>(), Outcome<Int>.failure(FuturesError.timedOut))
        for context in [QueueContext.global, immediate] as [any ExecutionContext] {
            #expect(await Future(value: 1).delay(.milliseconds(1), context: context).end() == .success(1))
            #expect(await source.timeout(.milliseconds(1), context: context).end() == timedOut)
        }
        #expect(await Future(value: 1).delay(.zero).end() == .success(1))
        #expect(await source.timeout(.zero).end() == timedOut)
        // The end is observable slightly before the source is released.
        await until { source.observerCount == 0 }
    }
}
