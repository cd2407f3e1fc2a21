// Functions whose implementation is async now: `wrap --callback`.

import SimpleFutures
import SimpleFuturesInterop

struct Weather: Sendable, Equatable {
    var text = "Sunny"
}

final class WeatherService: Sendable {
    func forecast(for city: String) async throws -> Weather { Weather(text: city) }
    func forecast(for city: String, completion: @escaping @Sendable (Weather?, (any Error)?) -> Void) {
        completion(Weather(text: "old"), nil)
    }

    func count() async -> Int { 2 }
    func count(completion: @escaping @Sendable (Int) -> Void) {
        completion(1)
    }

    func refresh(force: Bool = false) async throws {}
    func refresh(force: Bool = false, completion: (((any Error)?) -> Void)? = nil) {
        completion?(nil)
    }

    func result() async throws -> Weather { Weather() }
    func result(completion: @escaping (Result<Weather, any Error>) -> Void) { completion(.success(Weather(text: "old"))) }
    func result() -> Future<Weather> { future { result(completion: $0) } }

    func ping() async {}
    func ping(completion: @escaping @Sendable () -> Void) { completion() }

    func both() async throws -> (Weather, Int) { (Weather(), 1) }
    func both(completion: @escaping @Sendable (Weather?, Int?, (any Error)?) -> Void) { completion(nil, nil, nil) }

    func nearest() async throws -> Weather? { nil }
    func nearest(completion: @escaping @Sendable (Weather?, (any Error)?) -> Void) { completion(Weather(), nil) }

    func pair() async throws -> (Weather?, Int?) { (nil, 1) }
    func pair(completion: @escaping @Sendable (Weather?, Int?, (any Error)?) -> Void) { completion(nil, nil, nil) }

    func shown() async throws -> Weather { Weather(text: "shown") }
    func shown(completion: (@MainActor (Weather?, (any Error)?) -> Void)? = nil) {}

    // Its async overload wraps it: there is no new implementation.
    func wrapped() async throws -> Int { try await withCompletionHandler { wrapped(completion: $0) } }
    func wrapped(completion: @escaping @Sendable (Int?, (any Error)?) -> Void) { completion(1, nil) }
}
