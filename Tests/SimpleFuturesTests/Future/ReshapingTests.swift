import SimpleFutures
import Testing
@testable import TestSupport

@Suite("materialize, asVoid, flatMapError, ??, on", .watchdog)
struct ReshapingTests {
    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `materialize succeeds with the result, and is canceled with its source`(
        ending: Source.Ending, moment: Source.Moment
    ) {
        let result = Source.ending(ending, moment) { $0.materialize() }
        let whole = result.map(context: immediate) { result -> String in
            switch result {
            case .success(let value): "\(value)"
            case .failure(Oops.source): "source"
            case .failure(FuturesError.brokenPromise): "broken"
            case .failure: "?"
            }
        }
        switch ending {
        case .success: #expect(whole.ended == .success("1"))
        case .failure: #expect(whole.ended == .success("source"))
        case .breach: #expect(whole.ended == .success("broken"))
        case .cancellation: #expect(whole.ended == .cancelled)
        }
    }

    @Test func `materialize of a future released while pending`() {
        var source: Future<Int>? = Future()
        let result = source?.materialize()
        source = nil
        guard case .success(.failure(FuturesError.brokenPromise)) = result?.result else {
            Issue.record("\(String(describing: result))")
            return
        }
    }

    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `asVoid ends when its source does`(ending: Source.Ending, moment: Source.Moment) {
        let result = Source.ending(ending, moment) { $0.asVoid().map(context: immediate) { 0 } }
        #expect(result.ended == ending.passedOn(success: .success(0)))
    }

    @Test(arguments: Source.Ending.allCases, Source.Moment.allCases)
    func `flatMapError is the same as recoverWith`(ending: Source.Ending, moment: Source.Moment) {
        let result = Source.ending(ending, moment) { $0.flatMapError(context: immediate) { _ in Future(value: 2) } }
        switch ending {
        case .success: #expect(result.ended == .success(1))
        case .failure, .breach: #expect(result.ended == .success(2))
        case .cancellation: #expect(result.ended == .cancelled)
        }
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

    @Test func `?? can be chained, and ends with a value`() async {
        let first = Future<Int>(error: Oops.source)
        let second = Future<Int>(error: Oops.other)
        #expect(await (first ?? second ?? 3).end() == .success(3))
        #expect(await (first ?? second).end() == .failure(Oops.other))
    }

    @Test func `an error thrown by the right side of ?? is the failure`() async throws {
        @Sendable func fail() throws -> Int { throw Oops.thrown }
        #expect(await (try Future<Int>(error: Oops.source) ?? fail()).end() == .failure(Oops.thrown))
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
        let context = ManualContext()
        let token = CancelToken()
        let source = Future<Int>()
        let calls = Log<Int>()
        source.on(
            context: context, success: { calls.add($0) }, completion: { _ in calls.add(0) })
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
}
