import SimpleFutures
import SimpleFuturesInterop
import Testing

@Suite("A Swift 5 client: completeWith")
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
