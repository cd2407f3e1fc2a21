import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: combinators of futures", .watchdog)
struct CombinatorTests {
    private let forecast = Forecast(station: Station(), context: ImmediateContext())

    @Test func `map and flatMap`() async throws {
        #expect(try await forecast.warning().value == "none at 1013")
        #expect(["Ulm", ""].map { forecast.report(for: $0).text } == ["Ulm", "unknownCity"])
        #expect(forecast.steps == 1)
        #expect(length(of: Future(value: [Report]())).result?.value == 0)
        #expect(
            ["Bonn", "Ulm", ""].map { forecast.neighbour(of: $0).text } == ["Bonnhausen", "tooCold(3)", "unknownCity"])
        #expect(both(Future(value: 1), Future(value: "one")).text == "(1, \"one\")")
    }

    @Test func `withFilter, forEach and andThen`() {
        #expect(["Bonn", "Ulm"].map { forecast.warm($0).text } == ["Bonn", "noSuchElement"])
        forecast.remember("Ulm")
        forecast.remember("")
        #expect(forecast.annotated("Bonn").result?.value?.remarks == ["seen"])
        #expect(forecast.annotated("").text == "unknownCity")
        #expect(forecast.history.map { $0.city } == ["Ulm", "Bonn"])
    }

    @Test func `chains and operators on the default context`() async throws {
        #expect(try await forecast.chain("Ulm").value == "Zugspitze 1")
        #expect(await forecast.chain("").outcome.text == "unknownCity")
        #expect(try await forecast.degrees(in: "Ulm").value == 3)
        #expect(try await forecast.degrees(in: "").value == -1)
        #expect(try await forecast.report(for: "", or: "Bonn").value.city == "Bonn")
        #expect(try await forecast.names(of: ["Ulm", "Bonn"]).value == "Ulm, Bonn")
    }

    @Test func `recover, recoverWith and mapError`() {
        #expect(["Ulm", ""].map { forecast.reportOrDefault(for: $0).text } == ["Ulm", "Nowhere"])
        #expect(forecast.steps == 11)
        #expect(forecast.reportOrNeighbour(of: "", "Bonn").text == "Bonn")
        #expect(forecast.reportOrNeighbour(of: "", "").text == "unknownCity")
        #expect(["Ulm", ""].map { forecast.reportWithOwnError(for: $0).text } == ["Ulm", "tooCold(0)"])
        var attempts = [Int]()
        let third = repeated(3) { attempt -> Future<Report> in
            attempts.append(attempt)
            return self.forecast.report(for: attempt == 1 ? "Ulm" : "")
        }
        #expect(third.text == "Ulm")
        #expect(attempts == [3, 2, 1])
    }

    @Test func `fold, sequence and traverse`() {
        #expect(forecast.total(of: ["Ulm", "Bonn"]).result?.value == 7)
        #expect(forecast.steps == 202)
        #expect(forecast.total(of: ["Ulm", ""]).text == "unknownCity")
        #expect(sum([Future(value: 1), Future(value: 2), Future(value: 3)]).result?.value == 14)
        #expect(collected([Future(value: forecast), Future(value: forecast)]).result?.value?.count == 2)
        #expect(forecast.reports(for: ["Ulm", "Bonn"]).result?.value?.map { $0.degrees } == [3, 4])
        #expect(forecast.reports(for: ["Ulm", ""]).text == "unknownCity")
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
        #expect(degrees.texts == ["2", "unknownCity", "tooCold(31)", "0"])
        #expect(feed.steps == 3)
        #expect(countdowns.texts.prefix(3) == ["Ulm 1", "Ulm 2", "unknownCity"])
        #expect(countdowns.count == 2 + 1 + 31 + 1)
        #expect(neighbours.texts == ["Ulmhausen", "unknownCity", "Romhausen", "tooCold(0)"])
        #expect(station.requestCount == 2)
    }

    @Test func `withFilter, forEach and andThen`() {
        feed.remember()
        let (warm, annotated) = (feed.warm(), feed.annotated())
        send()
        #expect(warm.texts == ["noSuchElement", "unknownCity", "Rom"])
        #expect(annotated.futures.map { $0.result?.value?.remarks } == [["seen"], nil, ["seen"]])
        #expect(feed.history.map { $0.city } == ["Ulm", "Ulm", "Rom", "Rom"])
    }

    @Test func `recover, recoverWith and mapError`() {
        let other = FutureStream(value: Report(city: "Kiel", degrees: 3), capacity: 1)
        let forecast = Forecast(station: Station(), context: ImmediateContext())
        let streams = [feed.orNowhere(), feed.or(other), feed.or(forecast, in: "Bonn"), feed.withOwnErrors()]
        send()
        promise.failure(WeatherError.offline)
        promise.failure(CancellationError())
        #expect(streams.map { $0.texts[1] } == ["Nowhere", "Kiel", "Bonn", "tooCold(0)"])
        #expect(streams.map { $0.texts[3] } == ["offline", "Kiel", "Bonn", "offline"])
        #expect(streams[3].texts[4] == "offline")
        #expect(feed.steps == 10)
    }

    @Test func `chains on the default context`() async {
        send()
        #expect(await elements(of: feed.chain(CancelToken())).count == 3)
        #expect(await elements(of: feed.robustCities()).sorted() == ["Nowhere", "Rom", "Ulm"])
    }

    @Test func `functions instead of closures`() {
        var notes = [String]()
        let rules = Rules(
            isGood: { $0.degrees < 30 }, text: { $0.city }, details: { FutureStream(value: $0 + "!", capacity: 1) },
            answer: { Future(value: $0 + "?") }, recovery: { "\($0)" }, note: { notes.append($0) })
        let texts = rules.apply(to: promise.stream, context: ImmediateContext())
        send()
        #expect(texts.texts == ["Ulm!?", "offline", "offline"])
        #expect(notes == ["Ulm!?", "Ulm!?", "offline", "offline", "offline", "offline"])
    }

    @Test func `functions that are generic over the element`() {
        let subject = Subject<[Report]>(capacity: 2)
        let (counts, paired) = (lengths(of: subject.stream), pairs(subject.stream) { Future(value: $0.count) })
        subject.publish([Report(city: "Ulm", degrees: 1)])
        #expect(counts.texts == ["1"])
        #expect(paired.futures.map { $0.result?.value?.1 } == [1])
    }

    /// Waits until there are three elements.
    private func elements(of stream: FutureStream<String>) async -> [String] {
        let elements = Promise<[String]>()
        stream.onComplete(context: QueueContext(queue: Queue("almanac.elements"))) { _ in
            if stream.count == 3 { elements.success(stream.texts) }
        }
        return await elements.future.outcome.value ?? []
    }
}

extension Feed {
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

    @Test func `connect, then listen, until the token is canceled`() {
        let token = CancelToken()
        let rain = connection.connect(capacity: 2, cancelToken: token)
        for degrees in 1...3 { gauge.measure(degrees, nil) }
        token.cancel()
        gauge.measure(4, nil)
        #expect(rain.futures.map { $0.result?.value?.degrees } == [2, 3])
        #expect(connection.log == ["Zugspitze"])
        station.isOnline = false
        #expect(connection.connect(capacity: 2, cancelToken: CancelToken()).texts == ["offline"])
    }

    @Test func `a stored value, or otherwise measured ones`() {
        let sources = [Future(value: 7), Future(error: WeatherError.offline), Future(error: WeatherError.unknownCity)]
        let degrees = sources.map { connection.degrees($0, capacity: 1, cancelToken: CancelToken()) }
        gauge.measure(8, nil)
        #expect(degrees.map { $0.texts } == [["7"], ["8"], ["unknownCity"]])
    }

    @Test func `on the default context`() async throws {
        #expect(try await first(of: connection.stored(Future(value: 7))).value == 7)
        let failed = connection.pressures(Future(error: WeatherError.offline))
        #expect(await first(of: failed).outcome.text == "offline")
    }

    @Test func `the first element of a stream, and all elements, of any type`() {
        let promise = StreamPromise<Report>()
        let (one, other) = (first(of: promise.stream), first(of: promise.stream, context: ImmediateContext()))
        #expect(!one.completed)
        for city in ["Ulm", "Bonn"] { promise.success(Report(city: city, degrees: 1)) }
        #expect([one.text, other.text] == ["Ulm", "Ulm"])
        #expect(all(in: promise.stream).result?.value?.map { $0.city } == ["Ulm", "Bonn"])
    }
}
