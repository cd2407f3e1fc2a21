import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@MainActor @Suite("A Swift 5 client: a screen on the main actor", .watchdog)
struct ScreenTests {
    @Test func `its callbacks set its properties`() async {
        let screen = ReportViewController(
            forecast: Forecast(station: Station(), context: QueueContext.main))
        await withCheckedContinuation { done in
            screen.finished = { done.resume() }
            screen.viewDidLoad()
            #expect(screen.isLoading)
        }
        #expect(screen.title == "Berlin")
        #expect(screen.rows == ["6°", "0 remarks"])
        #expect(!screen.isLoading)
    }

    @Test func `callbacks that do not use it need no annotation`() async throws {
        let logger = Logger()
        let forecast = Forecast(station: Station(), context: ImmediateContext())
        ReportViewController(forecast: forecast).preload(logger)
        // Dispatched to the main queue after the callback.
        try await future(context: QueueContext.main) {}.value
        #expect(logger.lines == ["Bonn"])
    }
}

@MainActor @Suite("A Swift 5 client: a screen that shows a stream", .watchdog)
struct StreamScreenTests {
    @Test func `shows each element until it is released`() async {
        let (sender, log) = (Sender(), Logger())
        let screen = sender.makeScreen()
        screen.viewDidLoad()
        screen.preload(log)
        screen.tap()
        sender.send("Ulm", 1)
        sender.fail()
        await until { screen.title == "offline" && screen.tapCount == 1 && log.lines == ["Ulm"] }
        #expect(screen.rows == ["1°"])
        #expect(screen.viewDidDisappear())
        sender.send("Bonn", 2, ["foggy"])
        // Registered without the token.
        await until { screen.rows.count == 2 }
        #expect(screen.rows[1].hasSuffix("remarks"))
        #expect(screen.title == "offline")
    }
}

/// A class outside the main actor, for which the compiler does not report anything.
private class Sender {
    private let promise = StreamPromise<Report>(capacity: 4)

    @MainActor func makeScreen() -> TickerViewController {
        return TickerViewController(reports: promise.stream)
    }

    func send(_ city: String, _ degrees: Int, _ remarks: [String] = []) {
        let report = Report(city: city, degrees: degrees)
        report.remarks = remarks
        promise.success(report)
    }

    func fail() {
        promise.failure(WeatherError.offline)
    }
}
