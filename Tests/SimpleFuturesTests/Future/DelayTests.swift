import SimpleFutures
import Testing
@testable import TestSupport

@Suite("delay", .watchdog)
struct DelayTests {
    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `the result is delayed, a cancellation is not`(
        ending: Source.Ending, moment: Source.Moment
    ) {
        let context = ManualContext()
        let late = Source.ending(ending, moment) { $0.delay(.seconds(2), context: context) }
        let expected = ending.passedOn(success: Outcome.success(1))
        #expect(late.ended == (ending == .cancellation ? .cancelled : .pending))
        context.advance(by: .milliseconds(1999))
        #expect(late.ended == (ending == .cancellation ? .cancelled : .pending))
        context.advance(by: .milliseconds(1))
        #expect(late.ended == expected)
        #expect(context.pendingCount == 0)
    }

    @Test func `the delay begins with the completion`() {
        let context = ManualContext()
        let source = Future<Int>()
        let late = source.delay(.seconds(2), context: context)
        context.advance(by: .seconds(10))
        #expect(late.ended == .pending)
        source.success(1)
        context.advance(by: .seconds(1))
        #expect(late.ended == .pending)
        context.advance(by: .seconds(1))
        #expect(late.ended == .success(1))
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
    func `a delay of zero means as soon as the context runs it`(duration: Duration) {
        let context = ManualContext()
        let late = Future(value: 1).delay(duration, context: context)
        #expect(late.ended == .pending)
        context.advance(by: .zero)
        #expect(late.ended == .success(1))
    }

    @Test func `a token unsubscribes it from the source`() {
        let token = CancelToken()
        let context = ManualContext()
        let source = Future<Int>()
        let late = source.delay(.seconds(1), context: context, cancelToken: token)
        token.cancel()
        #expect(late.isCancelled)
        #expect(source.observerCount == 0)
        source.success(1)
        #expect(context.timerCount == 0)
    }

    @Test func `a token frees the timer during the delay`() {
        let token = CancelToken()
        let context = ManualContext()
        let late = Future(value: 1).delay(.seconds(1), context: context, cancelToken: token)
        #expect(context.timerCount == 1)
        #expect(token.registrationCount == 1)
        token.cancel()
        #expect(late.isCancelled)
        #expect(context.timerCount == 0)
    }

    @Test func `the timer is freed when the new future is completed in another way`() {
        let context = ManualContext()
        let late = Future(value: 1).delay(.seconds(1), context: context)
        late.success(2)
        #expect(context.timerCount == 0)
        context.advance(by: .seconds(1))
        #expect(late.ended == .success(2))
    }

    @Test func `nothing is registered with the token after the delay`() {
        let token = CancelToken()
        let context = ManualContext()
        let late = Future(value: 1).delay(.seconds(1), context: context, cancelToken: token)
        context.advance(by: .seconds(1))
        #expect(token.registrationCount == 0)
        #expect(late.ended == .success(1))
    }

    @Test func `callbacks are released when they have run`() {
        let context = ManualContext()
        let watch = Watch { probe in
            Future(value: 1).delay(.seconds(1), context: context).onSuccess(context: immediate) { _ in probe.use() }
        }
        #expect(!watch.isReleased)
        context.advance(by: .seconds(1))
        #expect(watch.isReleased)
    }

    @Test func `delays end in order`() {
        let context = ManualContext()
        let log = Log<Int>()
        for seconds in [3, 1, 2] {
            Future(value: seconds).delay(.seconds(seconds), context: context)
                .onSuccess(context: immediate) { log.add($0) }
        }
        context.advance(by: .seconds(3))
        #expect(log.all == [1, 2, 3])
    }

    @Test func `it works in real time`() async {
        #expect(await Future(value: 1).delay(.milliseconds(1), context: QueueContext.global).end() == .success(1))
        #expect(await Future(value: 1).delay(.milliseconds(1), context: immediate).end() == .success(1))
        #expect(await Future(value: 1).delay(.zero).end() == .success(1))
    }
}
