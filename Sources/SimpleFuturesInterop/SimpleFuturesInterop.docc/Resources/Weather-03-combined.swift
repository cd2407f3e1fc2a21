import Dispatch
import SimpleFutures
import SimpleFuturesInterop

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

    func report(for city: String) -> Future<String> {
        client.locate(city)
            .flatMap(context: ImmediateContext()) { [client] place in
                zip(client.temperature(at: place), client.wind(at: place))
            }
            .map(context: ImmediateContext()) { degrees, speed in
                "\(city): \(degrees) °C, \(speed) km/h"
            }
    }

    func warnings() -> FutureStream<String> { client.warnings() }

    /// Calls the completion handler on the main queue.
    func report(
        for city: String, completion: @escaping @Sendable (String?, (any Error)?) -> Void
    ) {
        callback(completion, context: QueueContext.main) {
            try await self.report(for: city).value
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
