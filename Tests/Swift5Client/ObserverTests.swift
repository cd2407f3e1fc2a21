import SimpleFutures
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: handlers of completion", .watchdog)
struct CompletionTests {
    private let dashboard = Dashboard()

    // On the main actor, as the callbacks of the default context are: what they change has no lock.
    @MainActor @Test func `on the default context they change the state of an object`() async {
        await withCheckedContinuation { done in
            dashboard.show(Session.get("/rain")) { done.resume() }
        }
        await withCheckedContinuation { done in
            dashboard.show(Session.get("")) { done.resume() }
        }
        #expect(dashboard.titles == ["200: yes"])
        #expect(dashboard.failures.map { "\($0)" } == ["offline"])
        #expect(!dashboard.isBusy)
    }

    @Test func `there may be many for one future`() {
        let report = Report(city: "Ulm", degrees: 1)
        let promise = Promise<Report>()
        dashboard.show(promise.future, context: ImmediateContext())
        promise.success(report)
        dashboard.show(Future(error: WeatherError.offline), context: ImmediateContext())
        #expect(dashboard.titles == ["Ulm", "1°"])
        #expect(report.remarks == ["shown"])
        #expect(dashboard.failures.count == 1)
    }

    @Test func `they change local variables`() {
        #expect(describe(Future()) == "nothing yet, 0 calls")
        #expect(describe(Future(value: Report(city: "Ulm", degrees: 1))) == "Ulm, 1 calls")
        #expect(describe(Future(error: WeatherError.offline)) == "offline, 1 calls")
    }

    @Test func `the state is there to be asked, whatever the value`() {
        #expect(state(of: Future<Report>()) == "pending")
        #expect(state(of: Future(value: [Report]())) == "success")
        #expect(state(of: Future<Dashboard>(error: WeatherError.offline)) == "failure")
    }

    @Test func `they may be somebody else's blocks`() {
        var texts = [String]()
        forward(Future(value: 1), success: { texts.append("\($0)") }, failure: { texts.append("\($0)") })
        forward(Future<Int>(error: WeatherError.offline), success: { _ in }, failure: { texts.append("\($0)") })
        #expect(texts == ["1", "offline"])
    }
}

@Suite("A Swift 5 client: cancel", .watchdog)
struct CancellingTests {
    private let promise = Promise<Report>()

    @Test func `what a token holds is told nothing any more`() {
        let staying = Widget(promise.future, context: ImmediateContext())
        let leaving = Widget(promise.future, context: ImmediateContext())
        staying.appear { Future(value: "sunny") }
        leaving.appear { Future(value: "sunny") }
        #expect(leaving.disappear())
        #expect(!leaving.disappear())
        promise.success(Report(city: "Ulm", degrees: 1))
        #expect(staying.lines == ["Ulm", "sunny"])
        #expect(leaving.lines.isEmpty)
    }

    @Test func `without a cancellation failures come through`() {
        let widget = Widget(promise.future, context: ImmediateContext())
        widget.appear { Future(value: "sunny") }
        promise.failure(WeatherError.offline)
        #expect(widget.lines == ["offline", "offline"])
    }

    @Test func `completion ids tell subscribers apart`() {
        var subscribers = Subscribers()
        var values = [Int]()
        let first = subscribers.add { values.append($0) }
        let second = subscribers.add { values.append($0 * 10) }
        #expect(first != second)
        subscribers.remove(first)
        subscribers.tell(1)
        subscribers.tell(2, only: second)
        subscribers.tell(3, only: first)
        #expect(values == [10, 20])
    }
}

@Suite("A Swift 5 client: handlers of streams", .watchdog)
struct StreamCompletionTests {
    private let promise = StreamPromise<Report>()

    private func send() {
        promise.success(Report(city: "Ulm", degrees: 1))
        promise.failure(WeatherError.offline)
    }

    @Test func `they get each element, and those that have been before`() {
        let early = Ticker(promise.stream, context: ImmediateContext())
        early.appear { FutureStream(value: "sunny in \($0.city)", capacity: 1) }
        send()
        let lines = ["Ulm", "1°", "sunny in Ulm", "offline", "?", "no details: offline"]
        #expect(early.lines == lines)
        let late = Ticker(promise.stream, context: ImmediateContext())
        late.appear { FutureStream(value: "sunny in \($0.city)", capacity: 1) }
        #expect(late.lines.sorted() == lines.sorted())
    }

    @Test func `what a token holds is told nothing any more`() {
        let (staying, leaving) = (
            Ticker(promise.stream, context: ImmediateContext()), Ticker(promise.stream, context: ImmediateContext())
        )
        let details = StreamPromise<String>()
        staying.appear { _ in details.stream }
        leaving.appear { _ in details.stream }
        send()
        #expect(leaving.disappear())
        #expect(!leaving.disappear())
        send()
        details.success("sunny")
        #expect(leaving.lines.count == 5)
        #expect(staying.lines.count == 12)
    }

    @Test func `on the default context they change local variables`() async {
        let counts: (Int, Int) = await withCheckedContinuation { done in
            let numbers = FutureStream(value: 1, capacity: 10)
            countBoth(numbers, until: 3) { done.resume(returning: ($0, $1)) }
            numbers.failure(WeatherError.offline)
            numbers.success(3)
        }
        #expect(counts == (2, 1))
    }

    @Test func `they may be somebody else's blocks`() {
        var texts = [String]()
        forward(promise.stream, success: { texts.append($0.city) }, failure: { texts.append("\($0)") })
        send()
        #expect(texts == ["Ulm", "offline"])
    }
}
