import Dispatch
import SimpleFutures
import SimpleFuturesInterop

/// A caller that awaits.
@MainActor final class WeatherModel {
    private let weather = Weather()
    private(set) var text = ""
    private(set) var warning = ""

    func load(_ city: String) async {
        do {
            text = try await Future { [weather] in try await weather.report(for: city) }
                .timeout(.seconds(10)).value
        } catch {
            text = "\(error)"
        }
    }

    func followWarnings() async throws {
        for try await warning in weather.warnings().values(buffering: .newest(1)) {
            self.warning = warning
        }
    }
}

/// The same functions, as futures and as a stream.
nonisolated extension WeatherClient {
    func locate(_ city: String) -> Future<Place> {
        future(method: { locate(city, completion: $0) })
    }
    func temperature(at place: Place) -> Future<Double> {
        future(method: { temperature(at: place, completion: $0) })
    }
    func wind(at place: Place) -> Future<Double> {
        future(method: { wind(at: place, completion: $0) })
    }
    func warnings() -> FutureStream<String> {
        futureStream(capacity: 1, method: observeWarnings)
    }
}

nonisolated final class Weather: Sendable {
    private let client = WeatherClient()

    func report(for city: String) async throws -> String {
        let place = try await client.locate(city).value
        async let degrees = client.temperature(at: place).value
        async let speed = client.wind(at: place).value
        return "\(city): \(try await degrees) °C, \(try await speed) km/h"
    }

    func warnings() -> FutureStream<String> { client.warnings() }

    /// Calls the completion handler on the main queue.
    func report(
        for city: String, completion: @escaping @Sendable (String?, (any Error)?) -> Void
    ) {
        callback(completion, context: QueueContext.main) {
            try await self.report(for: city)
        }
    }

    /// Calls the closure again and again, on any queue.
    func observeWarnings(_ update: @escaping @Sendable (String) -> Void) {
        client.observeWarnings(update)
    }
}

/// The functions with completion handlers that `Weather` calls.
nonisolated struct WeatherClient: Sendable {
    func locate(
        _ city: String, completion: @escaping @Sendable (Place?, (any Error)?) -> Void
    ) {
        DispatchQueue.global().async {
            completion(Place(latitude: 47.4, longitude: 8.5), nil)
        }
    }
    func temperature(
        at place: Place, completion: @escaping @Sendable (Double?, (any Error)?) -> Void
    ) {
        DispatchQueue.global().async { completion(place.latitude / 2, nil) }
    }
    func wind(
        at place: Place, completion: @escaping @Sendable (Double?, (any Error)?) -> Void
    ) {
        DispatchQueue.global().async { completion(place.longitude * 2, nil) }
    }
    func observeWarnings(_ update: @escaping @Sendable (String) -> Void) {
        DispatchQueue.global().async { update("storm") }
    }
}

nonisolated struct Place: Sendable {
    var latitude: Double
    var longitude: Double
}
