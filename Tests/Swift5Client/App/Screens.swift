import SimpleFutures

/// A class with the isolation of UIKit's class.
@MainActor class ViewController {
    var title: String?

    func viewDidLoad() {}
}

/// A screen whose callbacks set its properties.
///
/// They run on the main queue, but the compiler does not know that.
class ReportViewController: ViewController {
    private let forecast: Forecast
    private let cancelToken = CancelToken()
    var rows = [String]()
    var isLoading = false
    var finished: (() -> Void)?

    init(forecast: Forecast) { self.forecast = forecast }

    override func viewDidLoad() {
        super.viewDidLoad()
        isLoading = true
        let report = forecast.report(for: "Berlin")
        report.onSuccess(cancelToken: cancelToken) { report in
            self.title = report.city  // warns: main-actor state
            self.rows.append("\(report.degrees)°")  // warns: main-actor state
        }
        report.onFailure { [weak self] error in
            self?.title = "\(error)"  // warns: main-actor state
        }
        report.map { $0.remarks.count }.onComplete { [weak self] result in
            guard let self = self else { return }
            self.isLoading = false  // warns: main-actor state
            self.reload(with: result.value ?? 0)  // warns: main-actor state
            self.finished?()  // warns: main-actor state
        }
    }

    /// Callbacks that do not use main-actor state.
    func preload(_ log: Logger) { forecast.report(for: "Bonn").onSuccess { log.log($0.city) } }

    private func reload(with count: Int) { rows.append("\(count) remarks") }
}

/// A screen that shows a stream while it exists.
class TickerViewController: ViewController {
    private let reports: FutureStream<Report>
    private let cancelToken = CancelToken()
    private let taps = StreamPromise<Int>(capacity: 1)
    var rows = [String]()
    var tapCount = 0

    init(reports: FutureStream<Report>) { self.reports = reports }

    override func viewDidLoad() {
        super.viewDidLoad()
        reports.onSuccess(cancelToken: cancelToken) { report in
            self.title = report.city  // warns: main-actor state
            self.rows.append("\(report.degrees)°")  // warns: main-actor state
        }
        reports.onFailure(cancelToken: cancelToken) { [weak self] error in
            self?.title = "\(error)"  // warns: main-actor state
        }
        reports.map { $0.remarks.count }.withFilter { $0 > 0 }.forEach { [unowned self] count in
            self.reload(with: count)  // warns: main-actor state
        }
        taps.stream.onSuccess { [weak self] count in
            self?.tapCount += count  // warns: main-actor state
        }
    }

    /// Callbacks that do not use main-actor state.
    func preload(_ log: Logger) {
        reports.onSuccess { log.log($0.city) }
        reports.recover { _ in Report(city: "?", degrees: 0) }.onSuccess { report in report.remarks.append("loaded") }
    }

    func tap() { taps.success(1) }

    func viewDidDisappear() -> Bool { return reports.cancel(cancelToken) }

    private func reload(with count: Int) { rows.append("\(count) remarks") }
}
