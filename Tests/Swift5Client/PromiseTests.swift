import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: promises", .watchdog)
struct PromiseTests {
    @Test func `a promise is completed by a block`() throws {
        let (data, response) = try #require(Session.get("/rain").result?.value)
        #expect(data == Data("yes".utf8))
        #expect(response?.status == 200)
        let (nothing, missing) = try #require(Session.get("/snow").result?.value)
        #expect(nothing == nil)
        #expect(missing?.status == 404)
        #expect(Session.get("").result?.error as? WeatherError == .offline)
    }

    @Test func `a promise is completed by a delegate's calls`() {
        let finder = Finder()
        #expect(finder.find("Ulm").result?.value?.city == "Ulm")
        #expect(finder.find("").result?.error as? WeatherError == .unknownCity)
        #expect(finder.find("Bonn").result?.value?.city == "Bonn")
        #expect(finder.found.map { $0.city } == ["Ulm", "Bonn"])
    }

    @Test func `a promise is completed by another future`() {
        let report = Report(city: "Ulm", degrees: 1)
        #expect(relay(Future(value: report), through: Promise()).result?.value === report)
        let relayed = relay(Future(error: WeatherError.offline), on: ImmediateContext())
        #expect(relayed.completed)
        #expect(relayed.future.result?.error as? WeatherError == .offline)
    }

    @Test func `a promise is completed by a result`() {
        #expect(finish(Promise(), with: Try(1)))
        #expect(finish(Promise(), with: .failure(WeatherError.offline)))
    }
}

@Suite("A Swift 5 client: completeWith", .watchdog)
struct CompletingWithTests {
    @Test func `a future is completed by another, by a stored value or by an attempt`() async throws {
        let asked = Lookup()
        asked.start(with: Station())
        #expect(try await asked.answer.value == 1013)

        let stored = Lookup()
        stored.start(with: 5, context: ImmediateContext())
        #expect(stored.answer.result?.value == 5)

        let missing = Lookup()
        missing.start(with: nil, context: ImmediateContext())
        #expect(missing.answer.result?.error as? WeatherError == .offline)

        let attempted = Lookup()
        attempted.start(with: Try(Future(value: 6)))
        #expect(attempted.answer.result?.value == 6)

        let failed = Lookup()
        failed.start(with: Try(WeatherError.unknownCity))
        #expect(failed.answer.result?.error as? WeatherError == .unknownCity)
        #expect(asked.sources + stored.sources + failed.sources == 3)
    }

    @Test func `the first completion wins`() {
        let lookup = Lookup()
        let promise = Promise<Int>()
        lookup.start(with: Try(promise.future))
        lookup.giveUp()
        promise.success(1)
        #expect(lookup.answer.result?.error as? WeatherError == .offline)
    }

    @Test func `a copy depends on its original, whatever the value`() {
        let promise = Promise<Report>()
        let copied = copy(promise.future)
        #expect(!copied.completed)
        let report = Report(city: "Ulm", degrees: 1)
        promise.success(report)
        #expect(copied.result?.value === report)
    }
}

@Suite("A Swift 5 client: completeWith on streams", .watchdog)
struct StreamCompletingWithTests {
    private let channel = Channel()
    private let numbers = StreamPromise<Int>()
    private let number = Promise<Int>()

    private func send() {
        numbers.success(1)
        number.success(2)
        numbers.failure(WeatherError.offline)
        numbers.success(3)
    }

    private func expect(_ stream: FutureStream<Int>) {
        #expect(stream.futures.map { $0.result?.value } == [1, 2, nil, 3])
    }

    @Test func `as the document has it`() async throws {
        let gauge = Gauge()
        channel.open(with: gauge, and: Station())
        let next = first(of: channel.anotherFutureStream)
        #expect(try await next.value == 1013)
        gauge.measure(990, nil)
        #expect(channel.anotherFutureStream.futures.map { $0.result?.value } == [1013, 990])
    }

    @Test func `a stream emits what a stream and a future bring`() {
        channel.open(with: numbers.stream, and: number.future, context: ImmediateContext())
        send()
        expect(channel.anotherFutureStream)
        #expect(channel.sources == 2)
    }

    @Test func `so it does if they come as results`() {
        channel.open(with: Try(numbers.stream), and: Try(number.future))
        send()
        expect(channel.anotherFutureStream)
        let failing = Channel()
        failing.open(with: Try(WeatherError.offline), and: Try(WeatherError.unknownCity))
        #expect(
            failing.anotherFutureStream.futures.map { $0.result?.error as? WeatherError } == [.offline, .unknownCity])
    }

    @Test func `so does a promise`() {
        let relayed = channel.relay(numbers.stream, and: number.future)
        let other = Channel().relay(numbers.stream, and: number.future, context: ImmediateContext())
        send()
        expect(relayed)
        expect(other)
    }
}
