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
        #expect(copies(of: announced(report, capacity: nil), capacity: 1).map { $0.texts } == [["Ulm"], ["Ulm"]])
        #expect(resolved([report, report], capacity: 2).texts == ["Ulm", "offline"])
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
        gauge.switchOff()
        #expect(temperatures.isFinished && pressures.isFinished && alarms.isFinished && rain.isFinished)
        #expect(gauge.reportStream(of: "Ulm").futures.map { $0.result?.value??.degrees } == [1, 2, 3, nil])
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
        #expect(feed.history.count == 5 && feed.steps == 1)
    }

    @Test func `combinators of errors`() {
        let other = FutureStream(value: Report(city: "Kiel", degrees: 3), capacity: 1)
        let substitutes = feed.substitutes(other, Forecast(station: station, context: ImmediateContext()))
        let errors: [Error] = [WeatherError.unknownCity, WeatherError.tooCold(1), WeatherError.offline]
        for error in errors + [CancellationError()] { promise.failure(error) }
        #expect(substitutes.texts == ["Nowhere", "Kiel", "Bonn", "tooCold(0)"])
    }

    @Test func `combinators, closures and conversions on the default context`() async throws {
        let (chain, connection) = (feed.chain(CancelToken()), Connection(station, gauge, context: ImmediateContext()))
        send("Ulm", 2)
        promise.failure(WeatherError.unknownCity)
        await until { chain.count == 2 }
        #expect(chain.texts.sorted() == ["102", "offline"])
        #expect(try await firsts(of: parsed("12"))[0].value == 12)
        #expect(try await firsts(of: connection.stored(Future(value: 7)))[0].value == 7)
        let failed = connection.pressures(Future(error: WeatherError.offline))
        #expect(await firsts(of: failed)[0].outcome.text == "offline")
    }

    @Test func `functions and key paths instead of closures`() {
        var notes = [String]()
        let rules = Rules(
            isGood: { $0.degrees < 30 }, text: { $0.city }, details: { FutureStream(value: $0 + "!", capacity: 1) },
            answer: { Future(value: $0 + "?") }, recovery: { "\($0)" }, note: { notes.append($0) })
        let texts = rules.apply(to: promise.stream, context: ImmediateContext())
        let all = lengths(of: promise.stream, context: ImmediateContext())
        send("Ulm", 2)
        promise.failure(WeatherError.unknownCity)
        #expect(texts.texts == ["Ulm!?", "offline"] && notes.count == 4)
        #expect(all.texts == ["3", "unknownCity"])
    }

    @Test func `conversions from futures to streams, and back`() {
        let (connection, token) = (Connection(station, gauge, context: ImmediateContext()), CancelToken())
        let rain = connection.connect(capacity: 2, cancelToken: token)
        for degrees in 1...3 { gauge.measure(degrees, nil) }
        token.cancel()
        gauge.measure(4, nil)
        #expect(rain.futures.map { $0.result?.value?.degrees } == [2, 3])
        let failed = Future<Int>(error: WeatherError.offline)
        let degrees = connection.degrees(failed, capacity: 1, cancelToken: CancelToken())
        gauge.measure(8, nil)
        #expect(degrees.texts == ["8"])
        let first = firsts(of: promise.stream)
        for city in ["Ulm", "Bonn"] { send(city, 1) }
        #expect(first.map { $0.text } == ["Ulm", "Ulm"])
        #expect(all(in: promise.stream).result?.value?.map { $0.city } == ["Ulm", "Bonn"])
    }

    @Test func `completeWith`() async throws {
        let (numbers, number, channels) = (StreamPromise<Int>(), Promise<Int>(), (0..<4).map { _ in Channel() })
        channels[0].open(with: numbers.stream, and: number.future, context: ImmediateContext())
        channels[1].open(with: Try(numbers.stream), and: Try(number.future))
        let streams = [
            channels[0].anotherFutureStream, channels[0].promise.stream, channels[1].anotherFutureStream,
            channels[2].relay(numbers.stream, and: number.future),
        ]
        numbers.success(1)
        number.success(2)
        for stream in streams { #expect(stream.texts == ["1", "2"]) }
        channels[3].open(with: gauge, and: station)
        #expect(try await firsts(of: channels[3].anotherFutureStream)[0].value == 1013)
    }

    @Test func `callbacks get each element, until their token is canceled`() {
        let (early, late) = (Dashboard(), Dashboard())
        early.show(promise.stream, context: ImmediateContext())
        send("Ulm", 1)
        promise.failure(WeatherError.offline)
        #expect(early.titles == ["Ulm", "1°", "offline"] && early.failures.count == 1)
        late.show(promise.stream, context: ImmediateContext())
        #expect(late.hide(promise.stream) && !late.hide(promise.stream))
        send("Ulm", 1)
        #expect(late.titles.count == 3 && early.titles.count == 5)
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
