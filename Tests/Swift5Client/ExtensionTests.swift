import SimpleFutures
import Testing

@Suite("A Swift 5 client: extensions of its own")
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
        #expect(report.cast(to: Station.self).result?.error as? WeatherError == .offline)
        #expect(Future(value: [1, 2]).mapEach { $0 * 2 }.result?.value == [2, 4])
    }

    @Test func `of promises`() {
        let promise = Promise<Report>()
        promise.block(nil, WeatherError.unknownCity)
        #expect(promise.future.result?.error as? WeatherError == .unknownCity)
        let other = Promise<Report>()
        other.resolve(Report(city: "Ulm", degrees: 1), nil)
        #expect(other.future.result?.value?.city == "Ulm")
    }

    @Test func `of everything that is like a future`() {
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
