import SimpleFutures
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: its own extensions", .watchdog)
struct ExtensionTests {
    private let logger = Logger()

    @Test func `of futures`() {
        var count = 0
        let report = Future.just(Report(city: "Ulm", degrees: 1)).warmed
            .always { count += 1 }
            .tap { report in self.logger.log(report.city) }
        #expect(report.result?.value?.degrees == 2)
        logger.prefix = "> "
        _ = Future<Int>(error: WeatherError.offline).logging(to: logger, as: "number").always { count += 1 }
        _ = Future(value: 3).logging(to: logger, as: "number")
        #expect(logger.lines == ["Ulm", "> number: offline", "> number: 3"])
        #expect(count == 2)
        #expect(report.cast(to: Report.self).result?.value != nil)
        #expect(report.cast(to: Station.self).text == "offline")
        #expect(Future(value: [1, 2]).mapEach { $0 * 2 }.result?.value == [2, 4])
    }

    @Test func `of promises`() {
        let promise = Promise<Report>()
        promise.block(nil, WeatherError.unknownCity)
        #expect(promise.future.text == "unknownCity")
        let other = Promise<Report>()
        other.resolve(Report(city: "Ulm", degrees: 1), nil)
        #expect(other.future.result?.value?.city == "Ulm")
    }

    @Test func `of every type that conforms to Futurable`() {
        var values = [Int]()
        let described = Future(value: 1).onValue { values.append($0) }.noting(in: logger).described
        #expect(described.result?.value == "1")
        #expect(Deferred(value: 2).onValue { values.append($0) }.noting(in: logger).described.result?.value == "2")
        [Future(value: 3), Future(value: 4)].all { values += $0 }
        #expect(values == [1, 2, 3, 4])
        #expect(logger.lines == ["true", "true"])
    }

    @Test func `of results`() {
        #expect(number("4").log(to: logger).map { $0 + 1 }.value == 5)
        #expect(number("").log(to: logger).error as? WeatherError == .unknownCity)
        #expect(number(nil).isFailure())
        #expect(logger.lines == ["4"])
    }
}

@Suite("A Swift 5 client: extensions of streams", .watchdog)
struct StreamExtensionTests {
    private let logger = Logger()
    private let promise = StreamPromise<Report>()

    @Test func `of streams`() {
        // The callbacks hold this suite, and with it the promise, until the stream ends.
        defer { promise.finish() }
        var cities = [String]()
        let token = CancelToken()
        let warmed = promise.stream.warmed
        warmed.collect(into: { cities.append($0.city) }, until: token)
        let reports = warmed.tap { _ in self.logger.log("tapped") }.logging(to: logger, as: "report")
        let (same, other) = (reports.cast(to: Report.self), reports.cast(to: Station.self))
        promise.block(Report(city: "Ulm", degrees: 1), nil)
        promise.resolve(nil, nil)
        #expect(warmed.cancel(token))
        promise.resolve(Report(city: "Bonn", degrees: 1), nil)
        #expect(cities == ["Ulm"])
        #expect(warmed.futures.map { $0.result?.value?.degrees } == [2, nil, 2])
        #expect(same.futures.map { $0.result?.value?.city } == ["Ulm", nil, "Bonn"])
        #expect(other.futures.allSatisfy { $0.result?.error as? WeatherError == .offline })
        #expect(logger.lines.filter { $0 == "tapped" }.count == 2)
        #expect(logger.lines.contains("report: offline"))
    }

    @Test func `of streams of sequences, and of types that conform to Futurable`() {
        #expect(FutureStream.just([1, 2]).mapEach { $0 * 2 }.futures[0].result?.value == [2, 4])
        #expect(Deferred(value: 3).repeated(2).futures.map { $0.result?.value } == [3, 3])
        #expect(Future(value: 3).repeated(1).futures.map { $0.result?.value } == [3])
    }

    // The library's `filter` would pass failures on instead of dropping values.
    @Test func `with the same names as the library's`() {
        let others = StreamPromise<Report>()
        let best = bestDegrees(promise.stream, others.stream)
        for degrees in [-1, 2, 7, 5] { promise.success(Report(city: "Ulm", degrees: degrees)) }
        others.success(Report(city: "Rom", degrees: 30))
        #expect(best.futures.map { $0.result?.value } == [2, 7, 7, 30])
    }

    @Test func `a callback unsubscribes itself`() {
        let taken = promise.stream.take(2)
        for degrees in 1...3 { promise.success(Report(city: "Ulm", degrees: degrees)) }
        #expect(taken.futures.compactMap { $0.result?.value?.degrees } == [1, 2])
    }
}
