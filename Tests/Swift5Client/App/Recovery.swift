import SimpleFutures

extension Forecast {
    func reportOrDefault(for city: String) -> Future<Report> {
        return report(for: city).recover(context: context) { error in
            guard let weatherError = error as? WeatherError, weatherError == .unknownCity else {
                throw error
            }
            self.steps += 10
            return Report(city: "Nowhere", degrees: 0)
        }
    }

    func reportOrNeighbour(of city: String, _ neighbour: String) -> Future<Report> {
        return report(for: city).recoverWith(context: context) { error -> Future<Report> in
            guard error is WeatherError else {
                throw error
            }
            return self.report(for: neighbour)
        }
    }

    func reportWithOwnError(for city: String) -> Future<Report> {
        return report(for: city).mapError(context: context) { error in
            guard let weatherError = error as? WeatherError else {
                return WeatherError.offline
            }
            return weatherError == .unknownCity ? WeatherError.tooCold(0) : weatherError
        }
    }

    /// On the default context.
    func degrees(in city: String) -> Future<Int> {
        return report(for: city).map { $0.degrees } ?? -1
    }

    func report(for city: String, or other: String) -> Future<Report> {
        return report(for: city) ?? self.report(for: other)
    }
}

/// Tries again as long as it fails.
func repeated<Value>(_ times: Int, _ request: @escaping (Int) -> Future<Value>) -> Future<Value> {
    return request(times).recoverWith(context: ImmediateContext()) { error -> Future<Value> in
        if times <= 1 { throw error }
        return repeated(times - 1, request)
    }
}
