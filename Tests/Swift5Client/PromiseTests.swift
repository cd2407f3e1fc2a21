import Foundation
import SimpleFutures
import Testing

@Suite("A Swift 5 client: promises")
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
