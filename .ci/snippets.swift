// What the blocks of README.md and Migration.md take for granted: an app with callbacks.

import Foundation
import SimpleFutures

struct Profile: Sendable {
    var name = ""
    var avatarURL = URL(fileURLWithPath: "/")
}

struct Image: Sendable {
    static let placeholder = Image()
}

final class Client: Sendable {
    func loadProfile(_ completion: @escaping @Sendable (Profile?, (any Error)?) -> Void) { completion(Profile(), nil) }
    func loadName(id: Int, completion: @escaping @Sendable (String?, (any Error)?) -> Void) { completion("", nil) }
    func count(_ completion: @escaping @Sendable (Int) -> Void) { completion(0) }
    func image(at url: URL) -> Future<Image> { Future(value: Image()) }
    func profile(cancelToken: CancelToken = .none) -> Future<Profile> { future(method: loadProfile) }
    func friends(of profile: Profile) -> Future<[Profile]> { Future(value: []) }
}

let client = Client()

final class View: Sendable {
    func show(_ image: Image) {}
    func show(_ error: any Error) {}
}

let view = View()

/// A client that was written before there was concurrency: nothing of it is annotated.
final class LegacyClient {
    func loadName(id: Int, completion: @escaping (String?, (any Error)?) -> Void) { completion("", nil) }
    func count(_ completion: @escaping (Int) -> Void) { completion(0) }
}

struct Position: Sendable {
    var speed = 0.0
}

/// Something that calls back again and again.
final class Tracker: Sendable {
    func observe(_ update: @escaping @Sendable (Position?, (any Error)?) -> Void) { update(Position(), nil) }
}

let tracker = Tracker()

final class Gauge: Sendable {
    func show(_ speed: Double) {}
}

let gauge = Gauge()

func upload(_ position: Position) async throws {}
