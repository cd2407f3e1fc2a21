import SimpleFutures
import SimpleFuturesInterop
import Testing

@MainActor @Suite("A Swift 5 client: a screen on the main actor")
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

    @Test func `callbacks that leave it alone need no mark`() async throws {
        let logger = Logger()
        let forecast = Forecast(station: Station(), context: ImmediateContext())
        ReportViewController(forecast: forecast).preload(logger)
        // It comes to the main queue after the callback.
        try await future(context: QueueContext.main) {}.value
        #expect(logger.lines == ["Bonn"])
    }
}
