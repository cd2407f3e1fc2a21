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

    func warning() -> Future<String> {
        return station.futurePressure().map(context: context) { pressure -> String in
            guard pressure > 1000 else { throw WeatherError.tooCold(pressure) }
            return "none at \(pressure)"
        }
    }

    func report(for city: String) -> Future<Report> {
        return station.futureReport(for: city).map(context: context) { report in
            self.steps += 1
            guard let report = report else { throw WeatherError.unknownCity }
            return report
        }
    }

    func neighbour(of city: String) -> Future<Report> {
        return report(for: city).flatMap(context: context) { report -> Future<Report> in
            guard report.degrees > 3 else { throw WeatherError.tooCold(report.degrees) }
            return self.report(for: report.city + "hausen")
        }
    }

    func warm(_ city: String) -> Future<Report> {
        return report(for: city).withFilter(context: context) { report in
            report.degrees > 3
        }
    }

    func remember(_ city: String) {
        report(for: city).forEach(context: context) { report in
            self.history.append(report)
        }
    }

    func annotated(_ city: String) -> Future<Report> {
        return report(for: city).andThen(context: context) { report in
            report.remarks.append("seen")
            self.history.append(report)
        }
    }

    /// Uses the default context from beginning to end.
    func chain(_ city: String) -> Future<String> {
        var seen = 0
        return report(for: city)
            .andThen { _ in seen += 1 }
            .withFilter { $0.degrees > 0 }
            .flatMap { _ in self.station.futureName().map { name in (name, seen) } }
            .map { name, seen in "\(name) \(seen)" }
    }
}

func length<Value>(of future: Future<[Value]>) -> Future<Int> {
    return future.map(context: ImmediateContext()) { $0.count }
}

func both<First, Second>(_ first: Future<First>, _ second: Future<Second>) -> Future<(First, Second)> {
    return first.flatMap(context: ImmediateContext()) { value -> Future<(First, Second)> in
        second.map(context: ImmediateContext()) { (value, $0) }
    }
}

extension Forecast {
    func reportOrDefault(for city: String) -> Future<Report> {
        return report(for: city).recover(context: context) { error in
            guard let weatherError = error as? WeatherError, weatherError == .unknownCity else { throw error }
            self.steps += 10
            return Report(city: "Nowhere", degrees: 0)
        }
    }

    func reportOrNeighbour(of city: String, _ neighbour: String) -> Future<Report> {
        return report(for: city).recoverWith(context: context) { error -> Future<Report> in
            guard error is WeatherError else { throw error }
            return self.report(for: neighbour)
        }
    }

    func reportWithOwnError(for city: String) -> Future<Report> {
        return report(for: city).mapError(context: context) { error in
            guard let weatherError = error as? WeatherError else { return WeatherError.offline }
            return weatherError == .unknownCity ? WeatherError.tooCold(0) : weatherError
        }
    }

    /// On the default context.
    func degrees(in city: String) -> Future<Int> { return report(for: city).map { $0.degrees } ?? -1 }

    func report(for city: String, or other: String) -> Future<Report> {
        return report(for: city) ?? self.report(for: other)
    }
}

/// Repeats a request while it fails.
func repeated<Value>(_ times: Int, _ request: @escaping (Int) -> Future<Value>) -> Future<Value> {
    return request(times).recoverWith(context: ImmediateContext()) { error -> Future<Value> in
        if times <= 1 { throw error }
        return repeated(times - 1, request)
    }
}

extension Forecast {
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

func sum(_ futures: [Future<Int>]) -> Future<Int> {
    var count = 0
    return futures.fold(context: ImmediateContext(), initial: 0) {
        count += 1
        return $0 + $1 * count
    }
}

func collected<Value>(_ futures: [Future<Value>]) -> Future<[Value]> {
    return futures.fold(context: ImmediateContext(), initial: [Value]()) { $0 + [$1] }
}
