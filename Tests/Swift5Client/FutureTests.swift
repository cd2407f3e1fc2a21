import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: futures", .watchdog)
struct FutureTests {
    private let station = Station()
    private let forecast: Forecast
    private let ulm = Report(city: "Ulm", degrees: 1)

    init() { forecast = Forecast(station: station, context: ImmediateContext()) }

    @Test func `creation from an error, an expression, a closure and a resolver`() async throws {
        #expect(unknown(Report.self).text == "unknownCity")
        #expect(average(of: [1, 2, 6]).result?.value == 3)
        #expect(parse("12", context: ImmediateContext()).result?.value?.degrees == 12)
        _ = try await today(Calendar(identifier: .gregorian)).value
        #expect(resolved(ulm) { $0.degrees = 2 }.result?.value?.degrees == 2)
    }

    @Test func `creation around methods with completion handlers`() async throws {
        #expect(station.futureTemperature().result?.value == 21)
        #expect(try await station.futurePressure().value == 1013)
        #expect(station.futureCalibration().completed)
        #expect(station.futureName().result?.value == "Zugspitze")
        #expect(station.futureReport(for: "Ulm").result?.value??.city == "Ulm")
        station.isOnline = false
        #expect(station.futureTemperature().text == "offline" && station.futureCalibration().text == "offline")
        #expect(await station.futurePressure().outcome.text == "offline")
    }

    @Test func `combinators of one future, on a context and on the default one`() async throws {
        let neighbours = ["Bonn", "Ulm", "Au", ""].map { forecast.neighbour(of: $0).text }
        #expect(neighbours == ["Bonnhausen", "Rom", "tooCold(0)", "Nowhere"])
        #expect(forecast.history.count == 5 && forecast.steps == 3 + 3 + 2 + 10)
        #expect(try await forecast.chain("Ulm", CancelToken()).value == "Zugspitze 1")
        #expect(try await forecast.degrees(in: "", or: "").value == -1)
        #expect(try await forecast.names(of: ["Ulm", "Bonn"]).value == "Ulm, Bonn")
        #expect(try await forecast.nameLength(of: "Ulm").value == 3)
    }

    @Test func `combinators of many futures, and functions for any type of value`() {
        #expect(forecast.total(of: ["Ulm", "Bonn"]).result?.value == 7)
        #expect(forecast.reports(for: ["Ulm", ""]).text == "unknownCity")
        #expect(forecast.reports(in: ["Ulm", "Bonn"]).result?.value?.map { $0.city } == ["Bonn", "Ulm"])
        var attempts = [Int]()
        let third = repeated(3) { attempt -> Future<Report> in
            attempts.append(attempt)
            return self.forecast.report(for: attempt == 1 ? "Ulm" : "")
        }
        #expect(third.text == "Ulm" && attempts == [3, 2, 1])
    }

    @Test func `a completion handler, a future or a result completes a promise`() throws {
        let (data, response) = try #require(Session.get("/rain").result?.value)
        #expect(data == Data("yes".utf8) && response?.status == 200)
        #expect(relay(Future(value: ulm), on: ImmediateContext()).map { $0.future.text } == ["Ulm", "Ulm", "Ulm"])
        #expect(copies(of: Future(value: ulm)).map { $0.text } == ["Ulm", "Ulm"])
    }

    @Test func `another future, a stored value or an attempt completes a future`() async throws {
        let lookups = (0..<7).map { _ in Lookup() }
        lookups[0].start(with: station)
        lookups[1].start(with: 5, context: ImmediateContext())
        lookups[2].start(with: Try(Future(value: 6)))
        lookups[3].start(with: Try(WeatherError.unknownCity))
        for (index, number) in [nil, 3, 0].enumerated() { lookups[4 + index].finish(with: number) }
        #expect(try await lookups[0].answer.value == 1013)
        #expect(lookups[1...].map { $0.answer.text } == ["5", "6", "unknownCity", "offline", "3", "0"])
    }

    // On the main actor, like the callbacks of the default context, because their state has no lock.
    @MainActor @Test func `callbacks on the default context change the state of an object`() async {
        let dashboard = Dashboard()
        for path in ["/rain", ""] {
            await withCheckedContinuation { done in dashboard.show(Session.get(path)) { done.resume() } }
        }
        #expect(dashboard.titles == ["200: yes"] && dashboard.failures.count == 1 && !dashboard.isBusy)
    }

    @Test func `canceling a token unsubscribes its callbacks`() {
        let (promise, staying, leaving) = (Promise<Report>(), Dashboard(), Dashboard())
        staying.show(promise.future, context: ImmediateContext())
        leaving.show(promise.future, context: ImmediateContext())
        #expect(leaving.hide(promise.future) && !leaving.hide(promise.future))
        promise.success(ulm)
        #expect(staying.titles == ["Ulm", "1°"] && leaving.titles.isEmpty)
    }

    @Test func `callbacks can be closures of another module, and be kept by an id`() {
        var texts = [String]()
        for (future, stream) in [(Future(value: 1), FutureStream<Int>(error: WeatherError.offline))] {
            forward(
                future, stream, success: { texts.append("\($0)") }, failure: { texts.append("\($0)") },
                completion: { texts.append("\($0.isSuccess())") })
        }
        #expect(texts == ["1", "true", "offline", "false"])
        var (subscribers, values) = (Subscribers(), [Int]())
        let first = subscribers.add { values.append($0) }
        _ = subscribers.add { values.append($0 * 10) }
        subscribers.remove(first)
        subscribers.tell(1)
        #expect(values == [10])
    }
}
