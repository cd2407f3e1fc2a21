import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("A Swift 5 client: combinators")
struct CombinatorTests {
    private let forecast = Forecast(station: Station(), context: ImmediateContext())

    @Test func `map`() async throws {
        #expect(try await forecast.warning().value == "none at 1013")
        #expect(forecast.report(for: "Ulm").result?.value?.degrees == 3)
        #expect(forecast.report(for: "").result?.error as? WeatherError == .unknownCity)
        #expect(forecast.steps == 1)
        #expect(length(of: Future(value: [Report]())).result?.value == 0)
    }

    @Test func `flatMap`() {
        #expect(forecast.neighbour(of: "Bonn").result?.value?.city == "Bonnhausen")
        #expect(forecast.neighbour(of: "Ulm").result?.error as? WeatherError == .tooCold(3))
        #expect(forecast.neighbour(of: "").result?.error as? WeatherError == .unknownCity)
        let pair = both(Future(value: 1), Future(value: "one")).result?.value
        #expect(pair?.0 == 1 && pair?.1 == "one")
    }

    @Test func `withFilter`() {
        #expect(forecast.warm("Bonn").result?.value?.city == "Bonn")
        #expect(forecast.warm("Ulm").result?.error as? FuturesError == .noSuchElement)
    }

    @Test func `forEach and andThen`() {
        forecast.remember("Ulm")
        forecast.remember("")
        let annotated = forecast.annotated("Bonn")
        #expect(annotated.result?.value?.remarks == ["seen"])
        #expect(forecast.annotated("").result?.error as? WeatherError == .unknownCity)
        #expect(forecast.history.map { $0.city } == ["Ulm", "Bonn"])
    }

    @Test func `a chain on the default context`() async throws {
        #expect(try await forecast.chain("Ulm").value == "Zugspitze 1")
        #expect(await forecast.chain("").outcome.error as? WeatherError == .unknownCity)
    }

    @Test func `recover`() {
        #expect(forecast.reportOrDefault(for: "Ulm").result?.value?.city == "Ulm")
        #expect(forecast.reportOrDefault(for: "").result?.value?.city == "Nowhere")
        #expect(forecast.steps == 11)
    }

    @Test func `recoverWith`() {
        #expect(forecast.reportOrNeighbour(of: "", "Bonn").result?.value?.city == "Bonn")
        #expect(forecast.reportOrNeighbour(of: "", "").result?.error as? WeatherError == .unknownCity)
        var attempts = [Int]()
        let third = repeated(3) { attempt -> Future<Report> in
            attempts.append(attempt)
            return self.forecast.report(for: attempt == 1 ? "Ulm" : "")
        }
        #expect(third.result?.value?.city == "Ulm")
        #expect(attempts == [3, 2, 1])
    }

    @Test func `mapError`() {
        #expect(forecast.reportWithOwnError(for: "Ulm").result?.value?.city == "Ulm")
        #expect(forecast.reportWithOwnError(for: "").result?.error as? WeatherError == .tooCold(0))
    }

    @Test func `the operator for what fails`() async throws {
        #expect(try await forecast.degrees(in: "Ulm").value == 3)
        #expect(try await forecast.degrees(in: "").value == -1)
        #expect(try await forecast.report(for: "", or: "Bonn").value.city == "Bonn")
    }

    @Test func `fold`() {
        #expect(forecast.total(of: ["Ulm", "Bonn"]).result?.value == 7)
        #expect(forecast.steps == 202)
        #expect(forecast.total(of: ["Ulm", ""]).result?.error as? WeatherError == .unknownCity)
        #expect(forecast.coldest(of: ["Bonn", "Ulm", "Berlin"]).result?.value??.city == "Ulm")
        #expect(sum([Future(value: 1), Future(value: 2), Future(value: 3)]).result?.value == 14)
        #expect(collected([Future(value: forecast), Future(value: forecast)]).result?.value?.count == 2)
    }

    @Test func `sequence and traverse`() async throws {
        #expect(forecast.reports(for: ["Ulm", "Bonn"]).result?.value?.map { $0.degrees } == [3, 4])
        #expect(forecast.reports(for: ["Ulm", ""]).result?.error as? WeatherError == .unknownCity)
        #expect(try await forecast.names(of: ["Ulm", "Bonn"]).value == "Ulm, Bonn")
        #expect(forecast.reports(in: ["Ulm", "Bonn"]).result?.value?.map { $0.city } == ["Bonn", "Ulm"])
    }
}
