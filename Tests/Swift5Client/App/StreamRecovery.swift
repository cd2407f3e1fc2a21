import SimpleFutures

extension Feed {
    func orNowhere() -> FutureStream<Report> {
        return reports.recover(context: context) { error in
            guard let weatherError = error as? WeatherError, weatherError == .unknownCity else {
                throw error
            }
            self.steps += 10
            return Report(city: "Nowhere", degrees: 0)
        }
    }

    func or(_ other: FutureStream<Report>) -> FutureStream<Report> {
        return reports.recoverWith(context: context) { error -> FutureStream<Report> in
            guard error is WeatherError else {
                throw error
            }
            return other
        }
    }

    func or(_ forecast: Forecast, in city: String) -> FutureStream<Report> {
        return reports.recoverWith(context: context) { error -> Future<Report> in
            guard error is WeatherError else {
                throw error
            }
            return forecast.report(for: city)
        }
    }

    func withOwnErrors() -> FutureStream<Report> {
        return reports.mapError(context: context) { error in
            guard let weatherError = error as? WeatherError else {
                return WeatherError.offline
            }
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
