import SimpleFutures

/// A forecast from several requests in a row.
class Forecast {
    let station: Station
    let context: ExecutionContext
    var history = [Report]()
    var steps = 0

    init(station: Station, context: ExecutionContext) {
        self.station = station
        self.context = context
    }

    func report(for city: String) -> Future<Report> {
        return station.futureReport(for: city).map(context: context) { report in
            self.steps += 1
            guard let report = report else { throw WeatherError.unknownCity }
            return report
        }
    }

    /// The report of a neighbor, or a substitute for each kind of error.
    func neighbour(of city: String) -> Future<String> {
        report(for: city).forEach(context: context) { report in
            self.history.append(report)
        }
        return report(for: city)
            .withFilter(context: context) { report in
                report.degrees > 2
            }
            .andThen(context: context) { report in
                report.remarks.append("seen")
                self.history.append(report)
            }
            .flatMap(context: context) { report -> Future<Report> in
                guard report.degrees > 3 else { throw WeatherError.tooCold(report.degrees) }
                return self.report(for: report.city + "hausen")
            }
            .recover(context: context) { error in
                guard let weatherError = error as? WeatherError, weatherError == .unknownCity else { throw error }
                self.steps += 10
                return Report(city: "Nowhere", degrees: 0)
            }
            .recoverWith(context: context) { error -> Future<Report> in
                guard error is WeatherError else { throw error }
                return self.report(for: "Rom")
            }
            .mapError(context: context) { error in
                guard error is WeatherError else { return WeatherError.tooCold(0) }
                return error
            }
            .map(context: context) { report in report.city }
    }

    /// Uses the default context from beginning to end.
    func chain(_ city: String, _ cancelToken: CancelToken) -> Future<String> {
        var seen = 0
        return report(for: city)
            .andThen { _ in seen += 1 }
            .withFilter { $0.degrees > 0 }
            .flatMap(cancelToken: cancelToken) { _ in self.station.futureName().map { name in (name, seen) } }
            .map { name, seen in "\(name) \(seen)" }
            .mapError { _ in WeatherError.offline }
            .recoverWith { error -> Future<String> in Future(error: error) }
            .recover(cancelToken: cancelToken) { error in "\(error)" }
    }

    /// Operators, on the default context.
    func degrees(in city: String, or other: String) -> Future<Int> {
        return (report(for: city) ?? self.report(for: other)).map { $0.degrees } ?? -1
    }

    /// Key paths, also after a closure of several statements.
    func nameLength(of city: String) -> Future<Int> {
        return report(for: city)
            .map { report -> Report in
                self.steps += 1
                return report
            }
            .map(\.city).map(\.count)
    }

    func total(of cities: [String]) -> Future<Int> {
        return cities.map { report(for: $0) }.fold(context: context, initial: 0) { sum, report in
            self.steps += 100
            return sum + report.degrees
        }
    }

    func reports(for cities: [String]) -> Future<[Report]> {
        return cities.map { self.report(for: $0) }.sequence(context: context)
    }

    /// On the default context.
    func names(of cities: [String]) -> Future<String> {
        let requests = cities.map { report(for: $0) }
        return requests.sequence().map { reports in reports.map { $0.city }.joined(separator: ", ") }
    }

    func reports(in region: Set<String>) -> Future<[Report]> {
        return region.sorted().traverse(context: context) { city in
            self.report(for: city)
        }
    }
}

/// Repeats a request while it fails.
func repeated<Value>(_ times: Int, _ request: @escaping (Int) -> Future<Value>) -> Future<Value> {
    return request(times).recoverWith(context: ImmediateContext()) { error -> Future<Value> in
        if times <= 1 { throw error }
        return repeated(times - 1, request)
    }
}
