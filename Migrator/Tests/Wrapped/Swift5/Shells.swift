// Functions whose implementation is async now: `wrap --callback`.

import SimpleFutures
import SimpleFuturesInterop

struct Weather: Sendable, Equatable {
    var text = "Sunny"
}

final class WeatherService: Sendable {
    func forecast(for city: String) async throws -> Weather { Weather(text: city) }
    func forecast(for city: String, completion: @escaping @Sendable (Weather?, (any Error)?) -> Void) {
        callback(completion) { try await self.forecast(for: city) }
    }

    func forecast(for city: String) -> Future<Weather> { Future { try await self.forecast(for: city) } }

    func count() async -> Int { 2 }
    func count(completion: @escaping @Sendable (Int) -> Void) {
        callback(completion) { await self.count() }
    }

    func count() -> Future<Int> { Future { await self.count() } }

    func refresh(force: Bool = false) async throws {}
    @preconcurrency
    func refresh(force: Bool = false, completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        callback({ completion?($0) }) { try await self.refresh(force: force) }
    }

    @_disfavoredOverload
    func refresh(force: Bool = false) -> Future<Void> { Future { try await self.refresh(force: force) } }

    func result() async throws -> Weather { Weather() }
    @preconcurrency
    func result(completion: @escaping @Sendable (Result<Weather, any Error>) -> Void) {
        callback(completion) { try await self.result() }
    }
    func result() -> Future<Weather> { Future { try await self.result() } }

    func ping() async {}
    func ping(completion: @escaping @Sendable () -> Void) {
        callback(completion) { await self.ping() }
    }

    func ping() -> Future<Void> { Future { await self.ping() } }

    func both() async throws -> (Weather, Int) { (Weather(), 1) }
    func both(completion: @escaping @Sendable (Weather?, Int?, (any Error)?) -> Void) {
        callback(completion) { try await self.both() }
    }

    func both() -> Future<(Weather, Int)> { Future { try await self.both() } }

    func nearest() async throws -> Weather? { nil }
    func nearest(completion: @escaping @Sendable (Weather?, (any Error)?) -> Void) {
        callback({ completion($0 ?? nil, $1) }) { try await self.nearest() }
    }

    func nearest() -> Future<Weather?> { Future { try await self.nearest() } }

    func pair() async throws -> (Weather?, Int?) { (nil, 1) }
    func pair(completion: @escaping @Sendable (Weather?, Int?, (any Error)?) -> Void) {
        callback({ completion($0 ?? nil, $1 ?? nil, $2) }) { try await self.pair() }
    }

    func pair() -> Future<(Weather?, Int?)> { Future { try await self.pair() } }

    func shown() async throws -> Weather { Weather(text: "shown") }
    @preconcurrency
    func shown(completion: (@MainActor @Sendable (Weather?, (any Error)?) -> Void)? = nil) {
        callback({ @MainActor in completion?($0, $1) }) { try await self.shown() }
    }

    @_disfavoredOverload
    func shown() -> Future<Weather> { Future { try await self.shown() } }

    // Its async overload wraps it: there is no new implementation.
    func wrapped() async throws -> Int { try await withCompletionHandler { wrapped(completion: $0) } }
    func wrapped(completion: @escaping @Sendable (Int?, (any Error)?) -> Void) { completion(1, nil) }

    func wrapped() -> Future<Int> { future { wrapped(completion: $0) } }
}
