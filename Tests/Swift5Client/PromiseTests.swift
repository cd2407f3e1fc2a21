import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: promises and completeWith", .watchdog)
struct PromiseTests {
    @Test func `a completion handler, a future or a result completes a promise`() throws {
        let (data, response) = try #require(Session.get("/rain").result?.value)
        #expect(data == Data("yes".utf8) && response?.status == 200)
        let (nothing, missing) = try #require(Session.get("/snow").result?.value)
        #expect(nothing == nil && missing?.status == 404)
        #expect(Session.get("").text == "offline")
        let report = Report(city: "Ulm", degrees: 1)
        #expect(relay(Future(value: report), through: Promise()).result?.value === report)
        #expect(copy(Future(value: report)).result?.value === report)
        let relayed = relay(Future(error: WeatherError.offline), on: ImmediateContext())
        #expect(relayed.completed && relayed.future.text == "offline")
        #expect(finish(Promise(), with: Try(1)))
        #expect(finish(Promise(), with: .failure(WeatherError.offline)))
    }

    @Test func `another future, a stored value or an attempt completes a future`() async throws {
        let lookups = (0..<6).map { _ in Lookup() }
        lookups[0].start(with: Station())
        lookups[1].start(with: 5, context: ImmediateContext())
        lookups[2].start(with: nil, context: ImmediateContext())
        lookups[3].start(with: Try(Future(value: 6)))
        lookups[4].start(with: Try(WeatherError.unknownCity))
        lookups[5].giveUp()
        #expect(try await lookups[0].answer.value == 1013)
        #expect(lookups[1...].map { $0.answer.text } == ["5", "offline", "6", "unknownCity", "offline"])
        #expect(lookups.map { $0.sources } == [1, 1, 1, 1, 1, 0])
    }

    @Test func `futures and streams complete a stream, as in the documentation`() async throws {
        let (gauge, channel) = (Gauge(), Channel())
        channel.open(with: gauge, and: Station())
        #expect(try await first(of: channel.anotherFutureStream).value == 1013)
        gauge.measure(990, nil)
        #expect(channel.anotherFutureStream.texts == ["1013", "990"])
    }

    @Test func `futures and streams complete a stream, on a context, as results and through a promise`() {
        let (numbers, number, channels) = (StreamPromise<Int>(), Promise<Int>(), (0..<4).map { _ in Channel() })
        channels[0].open(with: numbers.stream, and: number.future, context: ImmediateContext())
        channels[1].open(with: Try(numbers.stream), and: Try(number.future))
        let streams = [
            channels[0].anotherFutureStream, channels[1].anotherFutureStream,
            channels[2].relay(numbers.stream, and: number.future),
            channels[3].relay(numbers.stream, and: number.future, context: ImmediateContext()),
        ]
        numbers.success(1)
        number.success(2)
        numbers.failure(WeatherError.offline)
        for stream in streams { #expect(stream.texts == ["1", "2", "offline"]) }
        #expect(channels[0].sources == 2)
        let failing = Channel()
        failing.open(with: Try(WeatherError.offline), and: Try(WeatherError.unknownCity))
        #expect(failing.anotherFutureStream.texts == ["offline", "unknownCity"])
    }
}
