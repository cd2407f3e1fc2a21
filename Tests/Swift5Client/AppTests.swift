import Dispatch
import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: its contexts, extensions, types and delegates", .watchdog)
struct AppTests {
    @Test func `an app's own contexts can wait, wrap another one, be stored and be called`() async {
        let (stepping, inner) = (SteppingContext(), LoggingContext(ImmediateContext()))
        var values = [Int]()
        Future(value: 1).map(context: stepping) { $0 + 1 }.onSuccess(context: stepping) { values.append($0) }
        #expect(values.isEmpty)
        stepping.step()
        Future(value: 1).onSuccess(context: LoggingContext(inner)) { values.append($0) }
        #expect(values == [2, 1] && inner.log == ["begin", "end"])
        #expect(countRuns(on: [ImmediateContext(), inner]) == 4)
        #expect(Settings().all.count == 3 && Settings.forTests.callbacks is ImmediateContext)
        await withCheckedContinuation { done in Settings().work.execute { done.resume() } }
    }

    @Test func `a queue keeps state in order, returns values, and runs closures later, on main and in the background`()
        async
    {
        let notebook = Notebook()
        notebook.add("rain")
        #expect(notebook.all == ["rain"])
        notebook.clear()
        let four = await withCheckedContinuation { done in
            notebook.remind(of: "umbrella", in: 0) { _ in
                inBackground({ 2 + 2 }, completion: { done.resume(returning: $0) })
            }
        }
        #expect(four == 4 && notebook.all == ["umbrella"])
        #expect(labels() == ["almanac.first", "almanac.second"])
    }

    @Test func `extensions of futures, promises and results`() {
        let (logger, promise) = (Logger(), Promise<Report>())
        let report = Future.just(Report(city: "Ulm", degrees: 1)).warmed.tap { logger.log($0.city) }
        #expect(report.result?.value?.degrees == 2)
        logger.prefix = "> "
        _ = Future<Int>(error: WeatherError.offline).logging(to: logger, as: "number")
        #expect(Future(value: [1, 2]).mapEach { $0 * 2 }.result?.value == [2, 4])
        promise.block(Report(city: "Ulm", degrees: 1), nil)
        #expect(promise.future.text == "Ulm")
        #expect(number("4").log(to: logger).map { $0 + 1 }.value == 5)
        #expect(number("").error as? WeatherError == .unknownCity)
        #expect(logger.lines == ["Ulm", "> number: offline", "> 4"])
    }

    @Test func `extensions of streams, some with the same names as the library's`() {
        let (promise, others, token) = (StreamPromise<Report>(), StreamPromise<Report>(), CancelToken())
        var cities = [String]()
        promise.stream.collect(into: { cities.append($0.city) }, until: token)
        let (taken, best) = (promise.stream.take(2), bestDegrees(promise.stream, others.stream))
        promise.block(Report(city: "Ulm", degrees: 2), nil)
        promise.block(nil, nil)
        #expect(promise.stream.cancel(token))
        promise.block(Report(city: "Bonn", degrees: -1), nil)
        others.success(Report(city: "Rom", degrees: 7))
        #expect(cities == ["Ulm"] && taken.texts == ["Ulm", "offline"])
        // The library's `filter` would pass the failure on.
        #expect(best.texts == ["2", "7"])
    }

    @Test func `an app's own futures have the combinators and the app's extensions`() {
        let (first, numbers) = (NamedReport(), [1, 2, 3].map { Deferred(value: $0) })
        var values = [String]()
        first.label = "first"
        first.onFailure(context: ImmediateContext()) { _ in values.append("?") }
        let second = Deferred(context: ImmediateContext(), dependent: first)
        let degrees = first.map(context: ImmediateContext()) { $0.degrees }
            .recover(context: ImmediateContext()) { _ in 0 }
        first.complete(.failure(WeatherError.offline))
        #expect(first.names == ["?"] && degrees.result?.value == 0)
        #expect(second.label == "first" && second.result?.text == "offline")
        #expect(numbers.fold(context: ImmediateContext(), initial: "") { $0 + "\($1)" }.result?.value == "123")
        #expect(numbers[1].onValue { values.append("\($0)") }.described.result?.value == "2")
        [Future(value: 3), Future(value: 4)].all { values.append("\($0)") }
        #expect(values == ["?", "2", "[3, 4]"])
    }

    @Test func `functions accept any future and the default context`() {
        #expect(count(in: Deferred(value: [1, 2])).result?.value == 2)
        #expect(make(Deferred<Int>.self, 5).result?.value == 5 && make(Future<Int>.self, nil).text == "offline")
        #expect(label() == DispatchQueue.main.label)
        #expect(doubled([1, 2]).result?.value == [2, 4] && reading().result?.value == 7)
    }

    @Test func `an app's own results have the combinators of Try`() {
        let answers = [Answer(1), Answer<Int>(WeatherError.offline), .right(3)]
        #expect(successes(answers) == 2)
        #expect(answers[0].map { $0 + 1 }.value == 2 && answers[1].recover { _ in 8 }.value == 8)
        #expect(answers.sequence().error as? WeatherError == .offline)
        #expect(answers[0].toOptional() == 1 && answers[1].isFailure() && answers[1].getOrElse(7) == 7)
    }

    @Test func `a delegate asks for a permission, then listens`() {
        let tracker = Tracker()
        let locations = tracker.startUpdatingLocation(capacity: 2, context: ImmediateContext())
        tracker.didChangeAuthorization(true)
        for city in ["Ulm", "Bonn", "Köln"] { tracker.didUpdate([Location(city)]) }
        #expect(tracker.isUpdating && tracker.visited.count == 3 && locations.count == 2)
        tracker.stopUpdatingLocation()
        #expect(locations.isFinished)
    }
}

@MainActor @Suite("A Swift 5 client: screens on the main actor", .watchdog)
struct ScreenTests {
    @Test func `callbacks of a future set a screen's properties, and others need no annotation`() async throws {
        let logger = Logger()
        let screen = ReportViewController(forecast: Forecast(station: Station(), context: QueueContext.main))
        await withCheckedContinuation { done in
            screen.finished = { done.resume() }
            screen.viewDidLoad()
            #expect(screen.isLoading)
        }
        #expect(screen.title == "Berlin")
        #expect(screen.rows == ["6°", "0 remarks"])
        #expect(!screen.isLoading)
        screen.preload(logger)
        await until { logger.lines == ["Bonn"] }
    }

    @Test func `a stream's elements are shown until the screen disappears`() async {
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
