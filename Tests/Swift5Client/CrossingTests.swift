import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("A Swift 5 client: from futures to streams, and back")
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
