import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("A Swift 5 client: creation")
struct CreationTests {
    private let station = Station()

    @Test func `from a value, an error, an expression and a closure`() async throws {
        #expect(known(21).result?.value == 21)
        #expect(unknown(Report.self).result?.error as? WeatherError == .unknownCity)
        #expect(average(of: [1, 2, 6]).result?.value == 3)
        #expect(parse("12", context: ImmediateContext()).result?.value?.degrees == 12)
        #expect(parse("warm", context: ImmediateContext()).result?.error as? WeatherError == .unknownCity)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        #expect(try await today(calendar).value == 1970)
    }

    @Test func `around methods with completion blocks`() async throws {
        #expect(station.futureTemperature().result?.value == 21)
        #expect(try await station.futurePressure().value == 1013)
        #expect(station.futureCalibration().completed)
        #expect(station.futureName().result?.value == "Zugspitze")
        #expect(station.futureReport(for: "Ulm").result?.value??.city == "Ulm")
        #expect(station.futureReport(for: "").result?.error as? WeatherError == .unknownCity)
        #expect(station.requestCount == 6)
        station.isOnline = false
        #expect(station.futureTemperature().result?.error as? WeatherError == .offline)
        #expect(station.futureCalibration().result?.error as? WeatherError == .offline)
        #expect(await station.futurePressure().outcome.error as? WeatherError == .offline)
    }

    @Test func `with a resolver`() {
        let report = Report(city: "Ulm", degrees: 1)
        #expect(resolved(report) { $0.degrees = 2 }.result?.value === report)
        #expect(report.degrees == 2)
    }

    @Test func `kept by a class of the app's own, whatever the value`() {
        let cache = Cache<String, Report>()
        let promise = Promise<Report>()
        let first = cache.value(for: "Ulm") { _ in promise.future }
        #expect(cache.value(for: "Ulm") { _ in Future() } === first)
        #expect(cache.hits == 1)
        promise.failure(WeatherError.offline)
        #expect(cache.value(for: "Ulm") { _ in Future() } !== first)
        #expect(cache.hits == 1)
    }
}
