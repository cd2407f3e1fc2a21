import SimpleFutures
import Testing
@testable import TestSupport

@Suite("materialize, ??, on, ensure", .watchdog)
struct ReshapingTests {
    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `materialize succeeds with the result, and is canceled with its source`(
        ending: Source.Ending, moment: Source.Moment
    ) {
        let result = Source.ending(ending, moment) { $0.materialize() }
        let whole = result.map(context: immediate) { Outcome($0) }
        let expected: Outcome<Int> = ending.passedOn(success: .success(1))
        #expect(whole.ended == (ending == .cancellation ? .cancelled : .success(expected)))
    }

    @Test func `the right side of ?? is evaluated only after a failure`() async {
        let asked = Log<String>()
        @Sendable func note(_ what: String) -> Int {
            asked.add(what)
            return 2
        }
        #expect(await (Future(value: 1) ?? note("value")).end() == .success(1))
        #expect(await (Future(value: 1) ?? Future(value: note("future"))).end() == .success(1))
        #expect(asked.all == [])
        #expect(await (Future(error: Oops.source) ?? note("value")).end() == .success(2))
        #expect(await (Future(error: Oops.source) ?? Future(value: note("future"))).end() == .success(2))
        #expect(asked.all == ["value", "future"])
    }

    @Test func `?? can be chained, and ends with a value, or with the last failure`() async {
        let first = Future<Int>(error: Oops.source)
        let second = Future<Int>(error: Oops.other)
        #expect(await (first ?? second ?? 3).end() == .success(3))
        #expect(await (first ?? second).end() == .failure(Oops.other))
        @Sendable func fail() throws -> Int { throw Oops.thrown }
        #expect(await (try first ?? fail()).end() == .failure(Oops.thrown))
    }

    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `on calls the closure for the result, then completion`(ending: Source.Ending, moment: Source.Moment) {
        let calls = Log<String>()
        Source.ending(ending, moment) { source in
            source.on(
                context: immediate, success: { calls.add("success \($0)") }, failure: { _ in calls.add("failure") },
                completion: { calls.add($0.isSuccess() ? "completion" : "completion with error") })
            source.on(context: immediate, completion: { _ in calls.add("completion alone") })
            source.on(context: immediate) { _ in calls.add("success alone") }
            source.on(context: immediate)
        }
        switch ending {
        case .success: #expect(calls.all == ["success 1", "completion", "completion alone", "success alone"])
        case .failure, .breach: #expect(calls.all == ["failure", "completion with error", "completion alone"])
        case .cancellation: #expect(calls.all == [])
        }
    }

    @Test func `on runs its closures in one hop, and its token cancels them`() {
        let (context, token, calls) = (ManualContext(), CancelToken(), Log<Int>())
        let source = Future<Int>()
        source.on(context: context, success: { calls.add($0) }, completion: { _ in calls.add(0) })
        let watch = Watch { probe in
            source.on(context: context, cancelToken: token, success: { _ in probe.use() })
        }
        token.cancel()
        #expect(watch.isReleased)
        source.success(1)
        #expect(context.pendingCount == 1)
        context.run()
        #expect(calls.all == [1, 0])
    }

    @Test(arguments: Source.Ending.allCases, [false, true])
    func `ensure runs for every end of the future, before the new one ends`(ending: Source.Ending, isManual: Bool) {
        let (source, log, manual) = (Source(), Log<String>(), ManualContext())
        let derived = source.future.ensure(context: isManual ? manual : immediate) { log.add("clean up") }
        derived.onComplete(context: immediate) { _ in log.add("completed") }
        derived.onCancel(context: immediate) { log.add("canceled") }
        source.end(ending)
        if isManual {
            #expect(log.all == [])
            manual.run()
        }
        #expect(log.all == ["clean up", ending == .cancellation ? "canceled" : "completed"])
        #expect(derived.ended == ending.passedOn(success: .success(1)))
    }

    @Test func `ensure runs even if the new future has no holders or waiters`() {
        let (future, log) = (Future<Int>(), Log<String>())
        future.ensure(context: immediate) { log.add("clean up") }
        future.success(1)
        #expect(log.all == ["clean up"])
    }

    @Test func `the new future of ensure is broken by a context that drops its closure`() {
        var context: ManualContext? = ManualContext()
        let derived = Future(value: 1).ensure(context: context ?? ManualContext()) {}
        context = nil
        #expect(derived.ended == .broken)
    }
}

/// Typical user code.
///
/// Half of the test is that it compiles, and quickly.
@Suite("Chains", .watchdog)
struct ChainTests {
    @Test func `twenty links of single expressions need no annotation`() {
        let time = ManualContext()
        let result = Future(value: 1)
            .map(context: immediate) { $0 + 1 }
            .withFilter(context: immediate) { $0 > 0 }
            .map(context: immediate) { "\($0)" }
            .andThen(context: immediate) { _ in }
            .flatMap(context: immediate) { count(of: $0) }
            .recover(context: immediate) { _ in 0 }
            .filter(context: immediate) { $0 < 9 }
            .recoverWith(context: immediate) { Future(error: $0) }
            .mapError(context: immediate) { _ in Oops.other }
            .flatMap(context: immediate) { Future(value: $0) }
            .map(context: immediate) { [$0, $0 * 2] }
            .map(context: immediate) { $0.count }
            .timeout(.seconds(1), context: time)
            .flatMap(context: immediate) { (0..<$0).traverse { Future(value: $0) } }
            .map(context: immediate) { $0.reduce(0, +) }
            .zip(Future(value: 2))
            .map(context: immediate) { $0 + $1 }
            .delay(.seconds(1), context: time)
            .map(context: immediate) { $0.isMultiple(of: 2) }
            .flatMap(context: immediate) { $0 ? Future(value: 1) : Future(error: Oops.other) }
        #expect(result.ended == .pending)
        time.advance(by: .seconds(1))
        #expect(result.ended == .failure(Oops.other))
        #expect(time.pendingCount == 0)
    }
}

private func count(of text: String) -> Future<Int> { Future(value: text.count) }
