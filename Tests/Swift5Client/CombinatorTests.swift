import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: combinators", .watchdog)
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

@Suite("A Swift 5 client: combinators of streams", .watchdog)
struct StreamCombinatorTests {
    private let promise = StreamPromise<Report>()
    private let feed: Feed

    init() { feed = Feed(promise.stream, context: ImmediateContext()) }

    private func send() {
        promise.success(Report(city: "Ulm", degrees: 2))
        promise.failure(WeatherError.unknownCity)
        promise.success(Report(city: "Rom", degrees: 31))
    }

    @Test func `map and flatMap, to streams and to futures`() {
        let station = Station()
        let degrees = feed.degrees()
        let (countdowns, neighbours) = (feed.countdowns(), feed.neighbours(station))
        send()
        promise.success(Report(city: "Oslo", degrees: 0))
        #expect(degrees.futures.map { $0.result?.value } == [2, nil, nil, 0])
        #expect(feed.steps == 3)
        #expect(countdowns.futures.prefix(3).map { $0.result?.value } == ["Ulm 1", "Ulm 2", nil])
        #expect(countdowns.count == 2 + 1 + 31 + 1)
        #expect(
            neighbours.futures.map { $0.result?.value??.city ?? "\($0.result!.error!)" }
                == ["Ulmhausen", "unknownCity", "Romhausen", "tooCold(0)"])
        #expect(station.requestCount == 2)
    }

    @Test func `withFilter, forEach and andThen`() {
        feed.remember()
        let (warm, annotated) = (feed.warm(), feed.annotated())
        send()
        #expect(warm.futures.map { $0.result?.value?.city } == [nil, nil, "Rom"])
        #expect(warm.futures[0].result?.error as? FuturesError == .noSuchElement)
        #expect(annotated.futures.map { $0.result?.value?.remarks } == [["seen"], nil, ["seen"]])
        #expect(feed.history.map { $0.city } == ["Ulm", "Ulm", "Rom", "Rom"])
    }

    @Test func `recover and recoverWith, with streams and with futures`() {
        let other = Report(city: "Kiel", degrees: 3)
        let forecast = Forecast(station: Station(), context: ImmediateContext())
        let streams = [
            feed.orNowhere(), feed.or(FutureStream(value: other, capacity: 1)), feed.or(forecast, in: "Bonn"),
        ]
        send()
        promise.failure(WeatherError.offline)
        #expect(streams.map { $0.futures[1].result?.value?.city } == ["Nowhere", "Kiel", "Bonn"])
        #expect(streams.map { $0.futures[3].result?.value?.city } == [nil, "Kiel", "Bonn"])
        #expect(feed.steps == 10)
    }

    @Test func mapError() {
        let errors = feed.withOwnErrors()
        send()
        promise.failure(CancellationError())
        #expect(
            errors.futures.map { $0.result?.error as? WeatherError } == [nil, .tooCold(0), nil, .offline])
    }

    @Test func `chains on the default context`() async {
        send()
        #expect(await elements(feed.chained).count == 3)
        #expect(await elements(feed.robustCities).sorted() == ["Nowhere", "Rom", "Ulm"])
    }

    @Test func `with functions in the place of closures`() {
        var notes = [String]()
        let rules = Rules(
            isGood: { $0.degrees < 30 }, text: { $0.city }, details: { FutureStream(value: $0 + "!", capacity: 1) },
            answer: { Future(value: $0 + "?") }, recovery: { "\($0)" }, note: { notes.append($0) })
        let texts = rules.apply(to: promise.stream, context: ImmediateContext())
        send()
        #expect(texts.futures.map { $0.result?.value } == ["Ulm!?", "offline", "offline"])
        #expect(notes == ["Ulm!?", "Ulm!?", "offline", "offline", "offline", "offline"])
    }

    @Test func `of functions that do not know the element`() {
        let subject = Subject<[Report]>(capacity: 2)
        let (counts, paired) = (lengths(of: subject.stream), pairs(subject.stream) { Future(value: $0.count) })
        subject.publish([Report(city: "Ulm", degrees: 1)])
        #expect(counts.futures.map { $0.result?.value } == [1])
        #expect(paired.futures.map { $0.result?.value?.1 } == [1])
    }

    /// As soon as there are three.
    private func elements(_ stream: () -> FutureStream<String>) async -> [String] {
        let elements = Promise<[String]>()
        let stream = stream()
        stream.onComplete(context: QueueContext(queue: Queue("almanac.elements"))) { _ in
            if stream.count == 3 { elements.success(stream.futures.map { $0.result?.value ?? "?" }) }
        }
        return await elements.future.outcome.value ?? []
    }
}

extension Feed {
    fileprivate func chained() -> FutureStream<String> { chain(CancelToken()) }

    fileprivate func robustCities() -> FutureStream<String> {
        robust(Report(city: "Nowhere", degrees: 0), CancelToken()).map { $0.city }
    }
}

@Suite("A Swift 5 client: from futures to streams, and back", .watchdog)
struct CrossingTests {
    private let station = Station()
    private let gauge = Gauge()
    private let connection: Connection

    init() { connection = Connection(station, gauge, context: ImmediateContext()) }

    @Test func `connect, then listen`() {
        let rain = connection.connect(capacity: 2, cancelToken: CancelToken())
        for degrees in 1...3 { gauge.measure(degrees, nil) }
        #expect(rain.futures.map { $0.result?.value?.degrees } == [2, 3])
        #expect(connection.log == ["Zugspitze"])
        station.isOnline = false
        let none = connection.connect(capacity: 2, cancelToken: CancelToken())
        #expect(none.futures.map { $0.result?.error as? WeatherError } == [.offline])
    }

    @Test func `a token ends listening`() {
        let token = CancelToken()
        let rain = connection.connect(capacity: 2, cancelToken: token)
        gauge.measure(1, nil)
        token.cancel()
        gauge.measure(2, nil)
        #expect(rain.count == 1)
    }

    @Test func `a value, or else what is measured`() {
        let token = CancelToken()
        #expect(connection.degrees(Future(value: 7), capacity: 1, cancelToken: token).futures[0].result?.value == 7)
        let measured = connection.degrees(Future(error: WeatherError.offline), capacity: 1, cancelToken: token)
        let unknown = connection.degrees(Future(error: WeatherError.unknownCity), capacity: 1, cancelToken: token)
        gauge.measure(8, nil)
        #expect(measured.futures.map { $0.result?.value } == [8])
        #expect(unknown.futures.map { $0.result?.error as? WeatherError } == [.unknownCity])
    }

    @Test func `on the default context`() async throws {
        #expect(try await first(of: connection.stored(Future(value: 7))).value == 7)
        let failed = connection.pressures(Future(error: WeatherError.offline))
        #expect(await first(of: failed).outcome.error as? WeatherError == .offline)
    }

    @Test func `the first element of a stream, and all of them, whatever they are`() {
        let promise = StreamPromise<Report>()
        let (one, other) = (first(of: promise.stream), first(of: promise.stream, context: ImmediateContext()))
        #expect(!one.completed)
        let report = Report(city: "Ulm", degrees: 1)
        promise.success(report)
        promise.success(Report(city: "Bonn", degrees: 1))
        #expect(one.result?.value === report)
        #expect(other.result?.value === report)
        #expect(all(in: promise.stream).result?.value?.map { $0.city } == ["Ulm", "Bonn"])
    }
}
