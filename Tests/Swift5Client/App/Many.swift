import SimpleFutures

extension Forecast {
    func total(of cities: [String]) -> Future<Int> {
        return cities.map { report(for: $0) }.fold(context: context, initial: 0) { sum, report in
            self.steps += 100
            return sum + report.degrees
        }
    }

    func coldest(of cities: [String]) -> Future<Report?> {
        let none: Report? = nil
        return cities.map { report(for: $0) }.fold(context: context, initial: none) { coldest, report in
            guard let found = coldest else { return report }
            return found.degrees <= report.degrees ? found : report
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
