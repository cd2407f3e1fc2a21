import SimpleFutures

/// Streams derived from the incoming reports.
class Feed {
    let reports: FutureStream<Report>
    let context: ExecutionContext
    var history = [Report]()
    var steps = 0

    init(_ reports: FutureStream<Report>, context: ExecutionContext) {
        self.reports = reports
        self.context = context
    }

    func remember() {
        reports.forEach(context: context) { report in
            self.history.append(report)
        }
    }

    /// A request and a stream for each report that is warm enough.
    func countdowns(_ station: Station) -> FutureStream<String> {
        return
            reports
            .withFilter(context: context) { report in
                report.degrees > 0
            }
            .andThen(context: context) { report in
                report.remarks.append("seen")
                self.history.append(report)
            }
            .flatMap(context: context) { report -> Future<Report?> in
                guard report.degrees < 30 else { throw WeatherError.tooCold(report.degrees) }
                return station.futureReport(for: report.city)
            }
            .map(context: context) { report -> Report in
                self.steps += 1
                guard let report = report else { throw WeatherError.unknownCity }
                return report
            }
            .flatMap(context: context) { report -> FutureStream<String> in
                let promise = StreamPromise<String>()
                for number in 1...report.degrees { promise.success("\(report.city) \(number)") }
                return promise.stream
            }
    }

    /// A substitute for each kind of error.
    func substitutes(_ other: FutureStream<Report>, _ forecast: Forecast) -> FutureStream<Report> {
        return
            reports
            .recover(context: context) { error in
                guard let weatherError = error as? WeatherError, weatherError == .unknownCity else { throw error }
                self.steps += 10
                return Report(city: "Nowhere", degrees: 0)
            }
            .recoverWith(context: context) { error -> FutureStream<Report> in
                guard case WeatherError.tooCold = error else { throw error }
                return other
            }
            .recoverWith(context: context) { error -> Future<Report> in
                guard error is WeatherError else { throw error }
                return forecast.report(for: "Bonn")
            }
            .mapError(context: context) { error in
                guard error is WeatherError else { return WeatherError.tooCold(0) }
                return error
            }
    }

    /// Uses the default context from beginning to end.
    func chain(_ token: CancelToken) -> FutureStream<String> {
        var seen = 0
        return
            reports
            .andThen { _ in seen += 1 }
            .withFilter { $0.degrees > 0 }
            .flatMap { Future(value: $0.degrees) }
            .flatMap { degrees in FutureStream(value: degrees + (seen > 0 ? 100 : 0), capacity: 1) }
            .map(cancelToken: token) { "\($0)" }
            .mapError { _ in WeatherError.offline }
            .recoverWith(cancelToken: token) { error -> Future<String> in Future(error: error) }
            .recoverWith { error -> FutureStream<String> in FutureStream(error: error, capacity: 1) }
            .recover(cancelToken: token) { "\($0)" }
    }
}

/// With functions instead of closures, by their labels.
struct Rules {
    var isGood: (Report) throws -> Bool
    var text: (Report) throws -> String
    var details: (String) throws -> FutureStream<String>
    var answer: (String) throws -> Future<String>
    var recovery: (Error) throws -> String
    var note: (String) -> Void

    func apply(to stream: FutureStream<Report>, context: ExecutionContext) -> FutureStream<String> {
        let texts =
            stream
            .withFilter(context: context, filter: isGood)
            .map(context: context, mapping: text)
            .flatMap(context: context, mapping: details)
            .flatMap(context: context, mapping: answer)
            .mapError(context: context, mapping: { _ in WeatherError.offline })
            .recover(context: context, recovery: recovery)
            .andThen(context: context, completion: note)
        texts.forEach(context: context, apply: note)
        return texts
    }
}

/// A key path after a closure of several statements.
func lengths(of reports: FutureStream<Report>, context: ExecutionContext) -> FutureStream<Int> {
    return
        reports
        .flatMap(context: context) { report -> Future<Report> in
            let report = report
            return Future(value: report)
        }
        .map(\.city.count, context: context)
}

// From a future to a stream, and back.

class Connection {
    let station: Station
    let gauge: Gauge
    let context: ExecutionContext
    var log = [String]()

    init(_ station: Station, _ gauge: Gauge, context: ExecutionContext) {
        self.station = station
        self.gauge = gauge
        self.context = context
    }

    /// Connect, then listen.
    func connect(capacity: Int, cancelToken: CancelToken) -> FutureStream<Report> {
        return station.futureName().flatMap(capacity: capacity, context: context, cancelToken: cancelToken) {
            name -> FutureStream<Report> in
            self.log.append(name)
            guard self.station.isOnline else { throw WeatherError.offline }
            return self.gauge.rainStream()
        }
    }

    /// The stored value, or otherwise measured ones.
    func degrees(_ stored: Future<Int>, capacity: Int, cancelToken: CancelToken) -> FutureStream<Int> {
        return stored.recoverWith(capacity: capacity, context: context, cancelToken: cancelToken) {
            error -> FutureStream<Int> in
            guard error as? WeatherError != .unknownCity else { throw error }
            return self.gauge.pressureStream()
        }
    }

    /// On the default context, with an unlimited replay buffer.
    func pressures(_ calibrated: Future<Void>) -> FutureStream<Int> {
        return
            calibrated
            .flatMap { _ -> FutureStream<Int> in self.gauge.pressureStream() }
            .recoverWith { error -> FutureStream<Int> in FutureStream(error: error, capacity: 1) }
    }

    func stored(_ future: Future<Int>) -> FutureStream<Int> {
        return future.recoverWith { _ -> FutureStream<Int> in self.gauge.pressureStream() }
    }
}

func firsts<Value>(of stream: FutureStream<Value>) -> [Future<Value>] {
    let (future, other) = (Future<Value>(), Future<Value>())
    future.completeWith(stream: stream)
    other.completeWith(context: ImmediateContext(), stream: stream)
    return [future, other]
}

func all<Value>(in stream: FutureStream<Value>) -> Future<[Value]> {
    return stream.futures.sequence(context: ImmediateContext())
}
