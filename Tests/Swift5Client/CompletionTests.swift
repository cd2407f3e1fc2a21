import SimpleFutures
import Testing

@Suite("A Swift 5 client: handlers of completion")
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
