import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: streams", .watchdog)
struct StreamTests {
    private let station = Station()
    private let gauge = Gauge()
    private let promise = StreamPromise<Report>()
    private let feed: Feed

    init() { feed = Feed(promise.stream, context: ImmediateContext()) }

    private func send(_ city: String, _ degrees: Int) { promise.success(Report(city: city, degrees: degrees)) }

    @Test func `creation from nothing, values, errors, streams, closures and a resolver`() {
        let report = Report(city: "Ulm", degrees: 1)
        #expect(emptyStreams().map { $0.count } == [0, 0, 0])
        #expect(forecast(report).futures.map { $0.result?.value?.degrees } == [nil, 3])
        #expect(announced(report, capacity: nil).futures[0].result?.value === report)
        #expect([nil, 3].map { announced(nil as Int?, capacity: $0).texts } == [["unknownCity"], ["offline"]])
        let source = StreamPromise<Report>(capacity: 3)
        let derived = copies(of: source.stream, capacity: 1)
        for _ in 0..<3 { source.success(report) }
        source.complete(Try(WeatherError.unknownCity))
        source.failure(WeatherError.offline)
        #expect(source.stream.texts == ["Ulm", "unknownCity", "offline"])
        #expect(derived.map { $0.texts } == [["Ulm", "Ulm", "Ulm", "unknownCity", "offline"], ["offline"]])
        let reports = resolved([report, report, report], capacity: 2)
        #expect(reports.futures[0].result?.value === report)
        #expect(reports.futures[1].text == "offline")
        #expect(["12", "warm"].map { parsed($0, context: ImmediateContext()).texts } == [["12"], ["unknownCity"]])
    }

    @Test func `creation around methods that call their closure repeatedly`() {
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
        let reports = gauge.reportStream(of: "Ulm").futures
        #expect(reports.map { $0.result?.value??.degrees } == [1, 2, 3, nil])
        #expect(reports[3].text == "offline" && reports[0].result?.value??.city == "Ulm")
    }

    @Test func `combinators of values`() {
        feed.remember()
        let countdowns = feed.countdowns(station)
        send("Ulm", 2)
        promise.failure(WeatherError.unknownCity)
        send("Rom", 31)
        send("Oslo", 0)
        #expect(
            countdowns.texts == ["Ulm 1", "Ulm 2", "Ulm 3", "unknownCity", "tooCold(31)", "noSuchElement"])
        #expect(feed.history.map { $0.city } == ["Ulm", "Ulm", "Rom", "Rom", "Oslo"])
        #expect(feed.history.map { $0.remarks.count } == [1, 1, 1, 1, 0])
        #expect(feed.steps == 1)
    }

    @Test func `combinators of errors`() {
        let other = FutureStream(value: Report(city: "Kiel", degrees: 3), capacity: 1)
        let substitutes = feed.substitutes(other, Forecast(station: station, context: ImmediateContext()))
        send("Ulm", 2)
        let errors: [Error] = [WeatherError.unknownCity, WeatherError.tooCold(1), WeatherError.offline]
        for error in errors + [CancellationError()] { promise.failure(error) }
        #expect(substitutes.texts == ["Ulm", "Nowhere", "Kiel", "Bonn", "tooCold(0)"])
        #expect(feed.steps == 10)
    }

    @Test func `combinators, closures and conversions on the default context`() async throws {
        let (chain, connection) = (feed.chain(CancelToken()), Connection(station, gauge, context: ImmediateContext()))
        send("Ulm", 2)
        promise.failure(WeatherError.unknownCity)
        send("Rom", 31)
        await until { chain.count == 3 }
        #expect(chain.texts.sorted() == ["102", "131", "offline"])
        #expect(try await firsts(of: parsed("12"))[0].value == 12)
        #expect(try await firsts(of: parsed("warm"))[0].value == nil)
        #expect(try await firsts(of: connection.stored(Future(value: 7)))[0].value == 7)
        let failed = connection.pressures(Future(error: WeatherError.offline))
        #expect(await firsts(of: failed)[0].outcome.text == "offline")
    }

    @Test func `key paths`() async throws {
        let all = lengths(of: promise.stream, context: ImmediateContext())
        send("Ulm", 2)
        #expect(all.texts == ["3"])
        let forecast = Forecast(station: station, context: ImmediateContext())
        #expect(try await forecast.nameLength(of: "Ulm").value == 3)
    }

    @Test func `functions instead of closures`() {
        var notes = [String]()
        let rules = Rules(
            isGood: { $0.degrees < 30 }, text: { $0.city }, details: { FutureStream(value: $0 + "!", capacity: 1) },
            answer: { Future(value: $0 + "?") }, recovery: { "\($0)" }, note: { notes.append($0) })
        let texts = rules.apply(to: promise.stream, context: ImmediateContext())
        send("Ulm", 2)
        promise.failure(WeatherError.unknownCity)
        send("Rom", 31)
        #expect(texts.texts == ["Ulm!?", "offline", "offline"])
        #expect(notes == ["Ulm!?", "Ulm!?", "offline", "offline", "offline", "offline"])
    }

    @Test func `conversions from futures to streams, and back`() {
        let (connection, token) = (Connection(station, gauge, context: ImmediateContext()), CancelToken())
        let rain = connection.connect(capacity: 2, cancelToken: token)
        for degrees in 1...3 { gauge.measure(degrees, nil) }
        token.cancel()
        gauge.measure(4, nil)
        #expect(rain.futures.map { $0.result?.value?.degrees } == [2, 3])
        #expect(connection.log == ["Zugspitze"])
        station.isOnline = false
        #expect(connection.connect(capacity: 2, cancelToken: CancelToken()).texts == ["offline"])
        let sources = [Future(value: 7), Future(error: WeatherError.offline), Future(error: WeatherError.unknownCity)]
        let degrees = sources.map { connection.degrees($0, capacity: 1, cancelToken: CancelToken()) }
        gauge.measure(8, nil)
        #expect(degrees.map { $0.texts } == [["7"], ["8"], ["unknownCity"]])
        let first = firsts(of: promise.stream)
        #expect(first.allSatisfy { !$0.completed })
        for city in ["Ulm", "Bonn"] { send(city, 1) }
        #expect(first.map { $0.text } == ["Ulm", "Ulm"])
        #expect(all(in: promise.stream).result?.value?.map { $0.city } == ["Ulm", "Bonn"])
    }

    @Test func `completeWith`() async throws {
        let (numbers, number, channels) = (StreamPromise<Int>(), Promise<Int>(), (0..<5).map { _ in Channel() })
        channels[0].open(with: numbers.stream, and: number.future, context: ImmediateContext())
        channels[1].open(with: Try(numbers.stream), and: Try(number.future))
        let streams = [
            channels[0].anotherFutureStream, channels[0].promise.stream, channels[1].anotherFutureStream,
            channels[2].relay(numbers.stream, and: number.future),
        ]
        numbers.success(1)
        number.success(2)
        numbers.failure(WeatherError.offline)
        for stream in streams { #expect(stream.texts == ["1", "2", "offline"]) }
        channels[3].open(with: Try(WeatherError.offline), and: Try(WeatherError.unknownCity))
        #expect(channels[3].anotherFutureStream.texts == ["offline", "unknownCity"])
        channels[4].open(with: gauge, and: station)
        #expect(try await firsts(of: channels[4].anotherFutureStream)[0].value == 1013)
        gauge.measure(990, nil)
        #expect(channels[4].anotherFutureStream.texts == ["1013", "990"])
    }

    @Test func `callbacks get each element, until their token is canceled`() {
        let (early, late) = (Dashboard(), Dashboard())
        early.show(promise.stream, context: ImmediateContext())
        send("Ulm", 1)
        promise.failure(WeatherError.offline)
        let titles = ["Ulm", "1°", "offline"]
        #expect(early.titles == titles)
        #expect(early.failures.map { "\($0)" } == ["offline"])
        late.show(promise.stream, context: ImmediateContext())
        #expect(late.titles.sorted() == titles.sorted())
        #expect(late.hide(promise.stream))
        #expect(!late.hide(promise.stream))
        send("Ulm", 1)
        promise.failure(WeatherError.offline)
        #expect(late.titles.count == 3)
        #expect(early.titles == titles + titles)
    }

    @Test func `callbacks on the default context change local variables`() async {
        let counts: (Int, Int) = await withCheckedContinuation { done in
            let numbers = FutureStream(value: 1, capacity: 10)
            countBoth(numbers, until: 3) { done.resume(returning: ($0, $1)) }
            numbers.failure(WeatherError.offline)
            numbers.success(3)
        }
        #expect(counts == (2, 1))
    }
}
