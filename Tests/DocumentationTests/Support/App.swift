// Declarations that the code blocks of README.md, Migration.md and the articles assume: an app with callbacks.

import Foundation
import SimpleFutures

nonisolated struct Profile: Sendable {
    var name = ""
    var avatarURL = URL(fileURLWithPath: "/")
}

nonisolated struct Image: Sendable {
    static let placeholder = Image()
}

nonisolated final class Client: Sendable {
    func loadProfile(_ completion: @escaping @Sendable (Profile?, (any Error)?) -> Void) { completion(Profile(), nil) }
    func loadName(id: Int, completion: @escaping @Sendable (String?, (any Error)?) -> Void) { completion("", nil) }
    func count(_ completion: @escaping @Sendable (Int) -> Void) { completion(0) }
    func image(at url: URL) -> Future<Image> { Future(value: Image()) }
    func profile(cancelToken: CancelToken = .none) -> Future<Profile> { future(method: loadProfile) }
    func profile(_ id: Int) -> Future<Profile> { future(method: loadProfile) }
    func upload(_ name: String, cancelToken: CancelToken) -> Future<Void> { Future(value: ()) }
    func friends(of profile: Profile) -> Future<[Profile]> { Future(value: []) }
}

nonisolated let client = Client()

nonisolated final class ResizeOperation: Operation, @unchecked Sendable {
    let image: Data?
    init(_ photo: Data) { image = photo }
}

/// A class that is not `Sendable`.
nonisolated final class Drawing {}

nonisolated func loadDrawing(_ id: Int, _ completion: @escaping (Drawing?, (any Error)?) -> Void) {
    completion(Drawing(), nil)
}

@MainActor final class View {
    func show(_ image: Image) {}
    func show(_ error: any Error) {}
}

@MainActor let view = View()

/// A client from the time before Swift concurrency: it has no annotations.
nonisolated final class LegacyClient {
    func loadName(id: Int, completion: @escaping (String?, (any Error)?) -> Void) { completion("", nil) }
    func count(_ completion: @escaping (Int) -> Void) { completion(0) }
}

nonisolated struct Position: Sendable {
    var speed = 0.0
}

/// A source that calls back repeatedly.
nonisolated final class Tracker: Sendable {
    func observe(_ update: @escaping @Sendable (Position?, (any Error)?) -> Void) { update(Position(), nil) }
    func stop() {}
}

nonisolated let tracker = Tracker()

@MainActor final class Gauge {
    func show(_ speed: Double) {}
}

@MainActor let gauge = Gauge()

nonisolated protocol TrackerDelegate: AnyObject {
    func tracker(_ tracker: Tracker, didMoveTo position: Position)
    func tracker(_ tracker: Tracker, didFailWith error: any Error)
    func trackerDidStop(_ tracker: Tracker)
}

@MainActor func show(_ text: String) {}

nonisolated func upload(_ position: Position) async throws {}

/// The values that the steps of one function load.
nonisolated struct User: Sendable, Decodable {
    var name = ""
    var age = 0
}

/// A call that can be canceled.
nonisolated struct Connection: Sendable {
    func close() {}
}

nonisolated extension Client {
    func loadAge(of name: String, completion: @escaping @Sendable (Int?, (any Error)?) -> Void) { completion(1, nil) }
    func open(_ completion: @escaping @Sendable (Connection?, (any Error)?) -> Void) -> Int { 1 }
    func abort(_ id: Int) {}
    func search(_ text: String) -> Future<[Profile]> { Future(value: []) }
}

/// The same app, after its lowest functions became async.
nonisolated struct Network: Sendable {
    func name(of id: Int) async throws -> String { "" }
    func age(of name: String) async throws -> Int { 1 }
    func motto() async -> String { "" }
    func size(of path: String) async throws -> Int { 1 }
    func checksum(of path: String) async throws -> UInt32 { 1 }
    func profile(_ id: Int) async throws -> Profile { Profile() }
    func search(_ text: String) async throws -> [Profile] { [] }
}

nonisolated let network = Network()
