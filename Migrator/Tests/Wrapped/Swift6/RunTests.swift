import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing

// What `wrap` writes works: the overloads give what the completion handlers get.

@Suite struct RunningOverloads {
    @Test func `A future gives what the completion handler gets`() async throws {
        let client = LegacyClient()
        let optional: Future<Profile> = client.optionalAndError(id: 1)
        let both: Future<(Profile, Int)> = client.twoOptionals()
        let four: Future<(Profile?, Int, Error?, Bool)> = client.four()
        let result: Future<Profile> = client.aliasOfResult()
        let nothing: Future<Void> = client.twoHandlersForNothing()
        #expect(try await optional.value == Profile())
        #expect(try await both.value.1 == 1)
        #expect(try await four.value.3)
        #expect(try await result.value == Profile())
        try await nothing.value
    }

    @Test func `A typed error fails the future`() async {
        let client = LegacyClient()
        let result: Future<Profile> = client.typedResult()
        let error: Future<Profile> = client.typedError()
        await #expect(throws: LoadError.offline) { try await result.value }
        await #expect(throws: LoadError.offline) { try await error.value }
    }

    @Test func `An async overload gives what the completion handler gets`() async throws {
        let profile: Profile = try await LegacyClient().withProgress()
        #expect(profile == Profile())
        let item: Item = try await Store().find(7)
        #expect(item.id == 7)
        let first: Item? = try await Archive().first()
        #expect(first?.id == 1)
    }

    @Test func `A call without a completion handler still means the function that returns nothing`() {
        let none: Void = LegacyClient().optionalHandler(id: 3)
        #expect(none == ())
    }

    @Test func `A token cancels the call that returned a handle`() async {
        let token = CancelToken()
        token.cancel()
        let future = Transfers().request(1, cancelToken: token)
        await #expect(throws: CancellationError.self) { try await future.value }
    }

    @Test func `The shells of an async implementation call it`() async throws {
        let service = WeatherService()
        let (stream, continuation) = AsyncStream<String>.makeStream()
        service.forecast(for: "Oslo") { weather, _ in continuation.yield(weather?.text ?? "none") }
        service.result { continuation.yield((try? $0.get().text) ?? "none") }
        var texts: Set<String> = []
        for await text in stream.prefix(2) { texts.insert(text) }
        #expect(texts == ["Oslo", "Sunny"])
        let future: Future<Weather> = service.forecast(for: "Rome")
        #expect(try await future.value.text == "Rome")
    }

    @Test func `A shell passes a missing value on, and calls an optional handler on its actor`() async throws {
        let service = WeatherService()
        let (stream, continuation) = AsyncStream<String>.makeStream()
        service.nearest { weather, error in continuation.yield(weather?.text ?? "nothing \(error == nil)") }
        service.pair { weather, count, _ in continuation.yield(weather?.text ?? "\(count ?? 0)") }
        service.shown { weather, _ in
            MainActor.preconditionIsolated()
            continuation.yield(weather?.text ?? "none")
        }
        var texts: Set<String> = []
        for await text in stream.prefix(3) { texts.insert(text) }
        #expect(texts == ["nothing true", "1", "shown"])
        let nearest: Future<Weather?> = service.nearest()
        #expect(try await nearest.value == nil)
    }

    @Test func `A delegate's calls are elements of the stream`() async throws {
        let events = BarometerEvents()
        let barometer = Barometer()
        barometer.delegate = events
        barometer.measure()
        var elements = events.stream.values.makeAsyncIterator()
        #expect(try await elements.next()?.hectopascals == 1013)
    }

    @Test func `A delegate's questions are answered by closures`() {
        let events = DownloadEvents(shouldRetryAfter: { $1 < 3 })
        #expect(events.download(Download(), shouldRetryAfter: 2))
        #expect(!events.download(Download(), shouldRetryAfter: 3))
    }
}
