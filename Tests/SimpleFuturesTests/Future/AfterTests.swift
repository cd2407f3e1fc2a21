import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Future.after", .watchdog)
struct AfterTests {
    @Test func `it succeeds when the time has passed, not earlier`() {
        let context = ManualContext()
        let future = Future.after(.seconds(2), value: 7, context: context)
        context.advance(by: .milliseconds(1999))
        #expect(future.ended == .pending)
        context.advance(by: .milliseconds(1))
        #expect(future.ended == .success(7))
        #expect(context.timerCount == 0)
    }

    @Test func `the label can be omitted, and for Void the value too`() {
        let context = ManualContext()
        let number = Future.after(.seconds(1), 7, context: context)
        let nothing = Future.after(.seconds(1), context: context)
        context.advance(by: .seconds(1))
        #expect(number.ended == .success(7))
        #expect(nothing.completed)
    }

    @Test(arguments: [Duration.zero, .seconds(-3)])
    func `zero or less means as soon as possible`(duration: Duration) {
        let context = ManualContext()
        let future = Future.after(duration, value: 1, context: context)
        #expect(future.ended == .pending)
        context.advance(by: .zero)
        #expect(future.ended == .success(1))
    }

    @Test func `a token cancels it and frees the timer`() {
        let context = ManualContext()
        let token = CancelToken()
        let watch = Watch { probe in
            _ = Future.after(.seconds(1), value: probe, context: context, cancelToken: token)
        }
        let future = Future.after(.seconds(1), value: 1, context: context, cancelToken: token)
        #expect(context.timerCount == 2)
        token.cancel()
        #expect(future.ended == .cancelled)
        #expect(context.timerCount == 0)
        #expect(watch.isReleased)
    }

    @Test func `completing the future in another way frees the timer`() {
        let context = ManualContext()
        let future = Future.after(.seconds(1), value: 1, context: context)
        future.success(2)
        #expect(context.timerCount == 0)
    }

    @Test func `callbacks still run if the future is released`() {
        let context = ManualContext()
        let seen = Log<Int>()
        Future.after(.seconds(1), value: 1, context: context).onSuccess(context: immediate) { seen.add($0) }
        context.advance(by: .seconds(1))
        #expect(seen.all == [1])
    }

    @Test func `a context that drops its timers breaks it`() {
        #expect(Future.after(.seconds(1), value: 1, context: TimerDroppingContext()).ended == .broken)
    }
}
