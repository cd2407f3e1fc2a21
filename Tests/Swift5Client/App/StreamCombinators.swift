import SimpleFutures

/// What is made of the reports that come in.
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
            guard report.degrees < 30 else {
                throw WeatherError.tooCold(report.degrees)
            }
            return report.degrees
        }
    }

    /// A stream for each report.
    func countdowns() -> FutureStream<String> {
        return reports.flatMap(context: context) { report -> FutureStream<String> in
            guard report.degrees > 0 else {
                throw WeatherError.tooCold(report.degrees)
            }
            let promise = StreamPromise<String>()
            for number in 1...report.degrees { promise.success("\(report.city) \(number)") }
            return promise.stream
        }
    }

    /// A request for each report.
    func neighbours(_ station: Station) -> FutureStream<Report?> {
        return reports.flatMap(context: context) { report -> Future<Report?> in
            guard report.degrees > 0 else {
                throw WeatherError.tooCold(report.degrees)
            }
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

    /// On the default context from beginning to end.
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

/// With functions in the place of closures, by their labels.
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
