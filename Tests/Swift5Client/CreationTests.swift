import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: creation", .watchdog)
struct CreationTests {
    private let station = Station()

    @Test func `from a value, an error, an expression and a closure`() async throws {
        #expect(known(21).result?.value == 21)
        #expect(unknown(Report.self).text == "unknownCity")
        #expect(average(of: [1, 2, 6]).result?.value == 3)
        #expect(parse("12", context: ImmediateContext()).result?.value?.degrees == 12)
        #expect(parse("warm", context: ImmediateContext()).text == "unknownCity")
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        #expect(try await today(calendar).value == 1970)
    }

    @Test func `around methods with completion handlers`() async throws {
        #expect(station.futureTemperature().result?.value == 21)
        #expect(try await station.futurePressure().value == 1013)
        #expect(station.futureCalibration().completed)
        #expect(station.futureName().result?.value == "Zugspitze")
        #expect(station.futureReport(for: "Ulm").result?.value??.city == "Ulm")
        #expect(station.futureReport(for: "").text == "unknownCity")
        #expect(station.requestCount == 6)
        station.isOnline = false
        #expect(station.futureTemperature().text == "offline")
        #expect(station.futureCalibration().text == "offline")
        #expect(await station.futurePressure().outcome.text == "offline")
    }

    @Test func `with a resolver`() {
        let report = Report(city: "Ulm", degrees: 1)
        #expect(resolved(report) { $0.degrees = 2 }.result?.value === report)
        #expect(report.degrees == 2)
    }

}

@Suite("A Swift 5 client: creation of streams", .watchdog)
struct StreamCreationTests {
    private let report = Report(city: "Ulm", degrees: 1)

    @Test func `from nothing, a value and an error`() {
        #expect(emptyStreams().map { $0.count } == [0, 0, 0])
        let reports = forecast(report)
        #expect(reports.count == 2)
        #expect(reports.futures[0].text == "offline")
        #expect(reports.futures[1].result?.value?.degrees == 3)
        let failed = unavailable(Report.self, capacity: 3)
        #expect(failed.texts == ["offline"])
        #expect(summary(of: reports) == "1 of 2")
        #expect(announced(report).futures[0].result?.value === report)
        #expect(announced(nil).futures[0].text == "unknownCity")
    }

    @Test func `from another stream, with any element type`() {
        let subject = Subject<Report>(capacity: 3)
        let (all, last) = (copy(subject.stream), copy(subject.stream, capacity: 1))
        for _ in 0..<3 { subject.publish(report) }
        subject.publish(Try(WeatherError.unknownCity))
        subject.fail(WeatherError.offline)
        #expect(subject.published == 4)
        #expect([subject.stream, all, last].map { $0.count } == [3, 5, 1])
        #expect(summary(of: all) == "3 of 5")
        #expect(last.futures[0].text == "offline")
    }

    @Test func `with a resolver`() {
        let reports = resolved([report, report, report], capacity: 2)
        #expect(reports.futures[0].result?.value === report)
        #expect(reports.futures[1].text == "offline")
    }

    @Test func `from a closure, on a context and on the default one`() async throws {
        #expect(parsed("12", context: ImmediateContext()).futures.map { $0.result?.value } == [12])
        let wrong = parsed("warm", context: ImmediateContext())
        #expect(wrong.texts == ["unknownCity"])
        #expect(try await first(of: parsed("12")).value == 12)
        #expect(try await first(of: parsed("warm")).value == nil)
    }

    @Test func `around methods that call their closure repeatedly`() {
        let gauge = Gauge()
        let (temperatures, pressures) = (gauge.temperatureStream(), gauge.pressureStream())
        let (alarms, rain) = (gauge.alarmStream(), gauge.rainStream())
        gauge.measure(21, nil)
        gauge.measure(nil, nil)
        gauge.measure(5, WeatherError.offline)
        #expect(temperatures.futures.map { $0.result?.value } == [21, .some(nil), nil])
        #expect(pressures.futures.map { $0.result?.value } == [21, 0, nil])
        #expect(alarms.futures.map { $0.result?.isSuccess() } == [true, true, false])
        #expect(rain.futures.compactMap { $0.result?.value?.degrees } == [21, 0, 5])
        #expect(!rain.isFinished)
        gauge.switchOff()
        #expect(temperatures.isFinished && pressures.isFinished && alarms.isFinished && rain.isFinished)
    }

    @Test func `around methods with more arguments`() {
        let gauge = Gauge()
        let reports = gauge.reportStream(of: "Ulm")
        #expect(reports.futures.map { $0.result?.value??.degrees } == [1, 2, 3, nil])
        #expect(reports.futures.last?.text == "offline")
        #expect(gauge.cities == ["Ulm"])
    }

    @Test func `around a method without annotation, and mapped`() {
        let gauge = Gauge()
        let texts = warnings(gauge, context: ImmediateContext())
        gauge.measure(990, nil)
        gauge.measure(1013, nil)
        #expect(texts.futures.map { $0.result?.value } == ["990", nil])
        #expect(texts.futures[1].result?.error as? WeatherError == .tooCold(1013))
    }
}
