import SimpleFutures
import SimpleFuturesInterop
import Testing

@MainActor @Suite("A Swift 5 client: a screen that shows a stream")
struct StreamScreenTests {
    @Test func `shows each element, until it is gone`() async {
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

    private func until(_ isSo: () -> Bool) async {
        while !isSo() { await Task.yield() }
    }
}

/// Outside of the main actor, where nothing is said of reports.
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
