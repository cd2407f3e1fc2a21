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

    func degrees() -> FutureStream<Int> {
        return reports.map(context: context) { report -> Int in
            self.steps += 1
            guard report.degrees < 30 else { throw WeatherError.tooCold(report.degrees) }
            return report.degrees
        }
    }

    /// A stream for each report.
    func countdowns() -> FutureStream<String> {
        return reports.flatMap(context: context) { report -> FutureStream<String> in
            guard report.degrees > 0 else { throw WeatherError.tooCold(report.degrees) }
            let promise = StreamPromise<String>()
            for number in 1...report.degrees { promise.success("\(report.city) \(number)") }
            return promise.stream
        }
    }

    /// A request for each report.
    func neighbours(_ station: Station) -> FutureStream<Report?> {
        return reports.flatMap(context: context) { report -> Future<Report?> in
            guard report.degrees > 0 else { throw WeatherError.tooCold(report.degrees) }
            return station.futureReport(for: report.city + "hausen")
        }
    }

    func warm() -> FutureStream<Report> {
        return reports.withFilter(context: context) { report in
            report.degrees > 20
        }
    }

    func remember() {
        reports.forEach(context: context) { report in
            self.history.append(report)
        }
    }

    func annotated() -> FutureStream<Report> {
        return reports.andThen(context: context) { report in
            report.remarks.append("seen")
            self.history.append(report)
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
            .flatMap { degrees in FutureStream(value: degrees + seen, capacity: 1) }
            .map(cancelToken: token) { "\($0)" }
            .recover(cancelToken: token) { "\($0)" }
    }
}

func lengths<Value>(of stream: FutureStream<[Value]>) -> FutureStream<Int> {
    return stream.map(context: ImmediateContext()) { $0.count }
}

func pairs<First, Second>(
    _ stream: FutureStream<First>, _ make: @escaping (First) -> Future<Second>
) -> FutureStream<(First, Second)> {
    return stream.flatMap(context: ImmediateContext()) { value -> Future<(First, Second)> in
        make(value).map(context: ImmediateContext()) { (value, $0) }
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

extension Feed {
    func orNowhere() -> FutureStream<Report> {
        return reports.recover(context: context) { error in
            guard let weatherError = error as? WeatherError, weatherError == .unknownCity else { throw error }
            self.steps += 10
            return Report(city: "Nowhere", degrees: 0)
        }
    }

    func or(_ other: FutureStream<Report>) -> FutureStream<Report> {
        return reports.recoverWith(context: context) { error -> FutureStream<Report> in
            guard error is WeatherError else { throw error }
            return other
        }
    }

    func or(_ forecast: Forecast, in city: String) -> FutureStream<Report> {
        return reports.recoverWith(context: context) { error -> Future<Report> in
            guard error is WeatherError else { throw error }
            return forecast.report(for: city)
        }
    }

    func withOwnErrors() -> FutureStream<Report> {
        return reports.mapError(context: context) { error in
            guard let weatherError = error as? WeatherError else { return WeatherError.offline }
            return weatherError == .unknownCity ? WeatherError.tooCold(0) : weatherError
        }
    }

    /// On the default context.
    func robust(_ other: Report, _ token: CancelToken) -> FutureStream<Report> {
        return
            reports
            .mapError { _ in WeatherError.offline }
            .recoverWith(cancelToken: token) { error -> Future<Report> in Future(error: error) }
            .recoverWith { error -> FutureStream<Report> in FutureStream(error: error, capacity: 1) }
            .recover { _ in other }
    }
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

func first<Value>(of stream: FutureStream<Value>) -> Future<Value> {
    let future = Future<Value>()
    future.completeWith(stream: stream)
    return future
}

func first<Value>(of stream: FutureStream<Value>, context: ExecutionContext) -> Future<Value> {
    let future = Future<Value>()
    future.completeWith(context: context, stream: stream)
    return future
}

func all<Value>(in stream: FutureStream<Value>) -> Future<[Value]> {
    return stream.futures.sequence(context: ImmediateContext())
}
