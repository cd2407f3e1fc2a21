import Dispatch
import SimpleFutures

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

    /// Calls the completion handler on the main queue.
    func report(
        for city: String, completion: @escaping @Sendable (String?, (any Error)?) -> Void
    ) {
        client.locate(city) { [client] place, error in
            guard let place else {
                return DispatchQueue.main.async { completion(nil, error) }
            }
            let answers = Answers()
            let group = DispatchGroup()
            group.enter()
            client.temperature(at: place) { degrees, error in
                answers.setDegrees(degrees, error)
                group.leave()
            }
            group.enter()
            client.wind(at: place) { speed, error in
                answers.setSpeed(speed, error)
                group.leave()
            }
            group.notify(queue: .main) {
                let (degrees, speed, error) = answers.all
                guard let degrees, let speed else { return completion(nil, error) }
                completion("\(city): \(degrees) °C, \(speed) km/h", nil)
            }
        }
    }

    /// Calls the closure again and again, on any queue.
    func observeWarnings(_ update: @escaping @Sendable (String) -> Void) {
        client.observeWarnings(update)
    }
}

/// The answers so far, from several queues.
nonisolated private final class Answers: @unchecked Sendable {
    private let queue = DispatchQueue(label: "answers")
    private var degrees: Double?
    private var speed: Double?
    private var error: (any Error)?

    var all: (degrees: Double?, speed: Double?, error: (any Error)?) {
        queue.sync { (degrees, speed, error) }
    }

    func setDegrees(_ degrees: Double?, _ error: (any Error)?) {
        queue.sync {
            self.degrees = degrees
            self.error = self.error ?? error
        }
    }

    func setSpeed(_ speed: Double?, _ error: (any Error)?) {
        queue.sync {
            self.speed = speed
            self.error = self.error ?? error
        }
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
