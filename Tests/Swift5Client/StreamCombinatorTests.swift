import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("A Swift 5 client: combinators of streams")
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
