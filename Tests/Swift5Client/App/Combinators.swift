import SimpleFutures

/// A forecast that is made of several requests in a row.
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
            guard pressure > 1000 else {
                throw WeatherError.tooCold(pressure)
            }
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
            guard report.degrees > 3 else {
                throw WeatherError.tooCold(report.degrees)
            }
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

    /// On the default context from beginning to end.
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
