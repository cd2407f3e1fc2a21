import SimpleFutures
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: callbacks of futures", .watchdog)
struct ObserverTests {
    private let dashboard = Dashboard()
    private let promise = Promise<Report>()

    // On the main actor, like the callbacks of the default context, because their state has no lock.
    @MainActor @Test func `on the default context they change the state of an object`() async {
        for path in ["/rain", ""] {
            await withCheckedContinuation { done in dashboard.show(Session.get(path)) { done.resume() } }
        }
        #expect(dashboard.titles == ["200: yes"])
        #expect(dashboard.failures.map { "\($0)" } == ["offline"])
        #expect(!dashboard.isBusy)
    }

    @Test func `one future can have many, which change objects and local variables`() {
        let report = Report(city: "Ulm", degrees: 1)
        dashboard.show(promise.future, context: ImmediateContext())
        promise.success(report)
        dashboard.show(Future(error: WeatherError.offline), context: ImmediateContext())
        #expect(dashboard.titles == ["Ulm", "1°"])
        #expect(report.remarks == ["shown"])
        #expect(dashboard.failures.count == 1)
        #expect(describe(Future()) == "nothing yet, 0 calls")
        #expect(describe(Future(value: report)) == "Ulm, 1 calls")
        #expect(describe(Future(error: WeatherError.offline)) == "offline, 1 calls")
    }

    @Test func `they can be closures of another module, and the state can be read for any value type`() {
        var texts = [String]()
        forward(Future(value: 1), success: { texts.append("\($0)") }, failure: { texts.append("\($0)") })
        forward(Future<Int>(error: WeatherError.offline), success: { _ in }, failure: { texts.append("\($0)") })
        #expect(texts == ["1", "offline"])
        #expect(state(of: Future<Report>()) == "pending")
        #expect(state(of: Future(value: [Report]())) == "success")
        #expect(state(of: Future<Dashboard>(error: WeatherError.offline)) == "failure")
    }

    @Test func `canceling a token unsubscribes its callbacks`() {
        let (staying, leaving) = (
            Widget(promise.future, context: ImmediateContext()), Widget(promise.future, context: ImmediateContext())
        )
        staying.appear { Future(value: "sunny") }
        leaving.appear { Future(value: "sunny") }
        #expect(leaving.disappear())
        #expect(!leaving.disappear())
        promise.success(Report(city: "Ulm", degrees: 1))
        #expect(staying.lines == ["Ulm", "sunny"])
        #expect(leaving.lines.isEmpty)
        let failing = Widget(Future(error: WeatherError.offline), context: ImmediateContext())
        failing.appear { Future(value: "sunny") }
        #expect(failing.lines == ["offline", "offline"])
    }

    @Test func `completion ids identify subscribers`() {
        var subscribers = Subscribers()
        var values = [Int]()
        let first = subscribers.add { values.append($0) }
        let second = subscribers.add { values.append($0 * 10) }
        #expect(first != second)
        subscribers.remove(first)
        subscribers.tell(1)
        #expect(values == [10])
    }
}

@Suite("A Swift 5 client: callbacks of streams", .watchdog)
struct StreamObserverTests {
    private let promise = StreamPromise<Report>()

    private func send() {
        promise.success(Report(city: "Ulm", degrees: 1))
        promise.failure(WeatherError.offline)
    }

    @Test func `they get each element, until their token is canceled`() {
        let early = Ticker(promise.stream, context: ImmediateContext())
        early.appear { FutureStream(value: "sunny in \($0.city)", capacity: 1) }
        send()
        let lines = ["Ulm", "1°", "sunny in Ulm", "offline", "?", "no details: offline"]
        #expect(early.lines == lines)
        let late = Ticker(promise.stream, context: ImmediateContext())
        late.appear { FutureStream(value: "sunny in \($0.city)", capacity: 1) }
        #expect(late.lines.sorted() == lines.sorted())
        #expect(late.disappear())
        #expect(!late.disappear())
        send()
        #expect(late.lines.count == 6)
        #expect(early.lines.count == 12)
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

    @Test func `they can be closures of another module`() {
        var texts = [String]()
        forward(promise.stream, success: { texts.append($0.city) }, failure: { texts.append("\($0)") })
        send()
        #expect(texts == ["Ulm", "offline"])
    }
}
