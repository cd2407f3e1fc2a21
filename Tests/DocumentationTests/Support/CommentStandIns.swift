// Declarations that the examples of doc comments assume, besides those of App.swift. Nothing here is ever called: each
// example is compiled as a method of one of the first two types.

import Foundation
import Observation
import SimpleFutures
import SimpleFuturesInterop

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The code around an example.
nonisolated struct YourCode: Sendable {
    let id: Int
    let ids: [Int]
    let text: String
    let url: URL
    let urls: [URL]
    let mirrors: [URL]
    let file: URL
    let folder: URL
    let request: URLRequest
    let session: URLSession
    let handle: FileHandle
    let photo: Data
    let token: CancelToken

    let answer: Future<String>
    let counts: [Future<Int>]
    let data: Future<Data>
    let friends: Future<[Profile]>
    let profile: Future<Profile>
    let settings: Future<[String: String]>

    let amounts: FutureStream<Int>
    let chunks: FutureStream<Data>
    let clicks: FutureStream<Event>
    let devices: FutureStream<any Device>
    let edits: FutureStream<String>
    let gestures: FutureStream<Event>
    let headings: FutureStream<Double>
    let keys: FutureStream<Event>
    let lines: FutureStream<String>
    let links: FutureStream<URL>
    let names: FutureStream<String>
    let passwords: FutureStream<String>
    let positions: FutureStream<Position>
    let updates: AsyncStream<Position>
    let profiles: FutureStream<Profile>
    let ticks: StreamPromise<Date>

    let archive: any Archive
    let button: any Button
    let cache: any Cache
    let connection: any Channel
    let device: any Device
    let log: any Log
    let server: any Server
    let store: any Store
    let windows: [any Window]
    let alert: any Alert
    let label: Label
    let manager: Manager
    let model: Tally
    let spinner: any Spinner

    let queue: OperationQueue
    let cleanup: Operation
    let resize: ResizeOperation
    let testClock: TestClock

    @MainActor func show(_ value: Any) {}
    func decode(_ data: Data) throws -> Image { Image() }
    func parse(_ text: String) throws -> Int { 0 }
    func load(_ completion: @escaping (Profile?, (any Error)?) -> Void) {}
    func observe(_ update: @escaping (Position?, (any Error)?) -> Void) {}
    func read(_ chunk: @escaping (Data) -> Void, completion: @escaping ((any Error)?) -> Void) {}
    func login(_ name: String) -> TypedFuture<User, LoginError> { TypedFuture(value: User()) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    var executor: any TaskExecutor { QueueContext.global.taskExecutor }
}

/// The class around an example that uses `self`.
@MainActor final class YourModel {
    var name = ""
    var user = ""
    var position = Position()
    var seconds = 0
    var isBusy = false
    let token = CancelToken()
    let urls: [URL] = []
    let positions = FutureStream<Position>()
    let messages = FutureStream<Message>()
    let queries = FutureStream<String>()
    let links = FutureStream<URL>()
    let spinner = Wheel()

    func show(_ value: Any) {}
    func format(_ profile: Profile) -> String { "" }
    func photo(of profile: Profile) -> Future<Image> { Future(value: Image()) }
    func row(for message: Message) -> Int { 0 }
    func nextID() -> Int { 0 }
    func load(_ url: URL, cancelToken: CancelToken = .none) -> Future<Page> { Future(value: Page()) }
    func login(_ name: String) -> TypedFuture<User, LoginError> { TypedFuture(value: User()) }

    func profile(_ id: Int) async throws(LoadError) -> Profile { Profile() }
    func save(_ profile: Profile) async throws {}
    func count() async -> Int { 0 }
    func refresh() async {}
    func fetch(_ url: URL) async throws -> (Data, URLResponse) { throw LoadError.missing }
}

nonisolated struct Page: Sendable {}
nonisolated struct Event: Sendable {}
nonisolated struct Reading: Sendable {}
nonisolated struct Transaction: Sendable {}
nonisolated struct Info: Sendable {}
nonisolated struct Message: Sendable { var sender = "" }
nonisolated struct Busy: Error { let retryAfter: Duration }
nonisolated enum LoadError: Error { case missing }
nonisolated enum LoginError: Error { case wrongPassword }
nonisolated enum APIError: FailureConvertible {
    case other(any Error)
    init(other error: any Error) { self = .other(error) }
}
nonisolated enum Trace {
    @TaskLocal static var id = 0
    @TaskLocal static var user = ""
}

nonisolated struct Loader: Sendable {
    let context: ManualContext
    func load(_ url: URL) async throws -> Page { Page() }
}

nonisolated extension Client {
    func image(at url: URL, cancelToken: CancelToken) -> Future<Image> { image(at: url) }
    func load(_ url: URL, cancelToken: CancelToken = .none) -> Future<Page> { Future(value: Page()) }
    func load(_ url: URL, completion: @escaping @Sendable (Page?, (any Error)?) -> Void) -> CancelAction {
        CancelAction {}
    }
    func connect(completion: @escaping @Sendable (Connection?, (any Error)?) -> Void) -> CancelAction {
        CancelAction {}
    }
    func download(_ url: URL, progress: @escaping (_ received: Int64, _ expected: Int64) -> Void) {}
    func login(_ name: String, completion: @escaping @Sendable (Result<User, LoginError>) -> Void) {}
    func upload(_ file: URL, cancelToken: CancelToken) -> Future<Void> { Future(value: ()) }
}

nonisolated extension Network {
    func image(at url: URL) async throws -> Image { Image() }
    func load(_ url: URL) async throws -> Page { Page() }
    func login(_ name: String) async throws -> User { User() }
    func upload(_ file: URL) async throws {}
}

nonisolated protocol Archive: Sendable {
    func append(_ data: Data) async throws
    func append(_ line: String) async throws
}
nonisolated protocol Button: Sendable {
    func onClick(_ clicked: @escaping @Sendable (Event) -> Void)
}
nonisolated protocol Cache: Sendable {
    func store(_ profile: Profile)
    func page(for url: URL) -> Future<Page>
}
nonisolated protocol Channel: Sendable {
    var messages: FutureStream<Message> { get }
    func send(_ text: String)
    func onMessage(_ arrived: @escaping @Sendable (Message) -> Void)
}
nonisolated protocol Device: Sendable {
    func connect() -> Future<any Device>
    func start() -> Future<Void>
    func readings() -> FutureStream<Reading>
}
nonisolated protocol Log: Sendable {
    func add(_ line: String)
    func flush()
}
nonisolated protocol Server: Sendable {
    func shutDown()
}
nonisolated protocol Store: Sendable {
    func save(_ profile: Profile) async
    func purchase(_ id: Int, completion: @escaping (Transaction?, Info?, Error?, Bool) -> Void)
}
nonisolated struct TestClock: Swift.Clock {
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
    func advance(by duration: Duration) async {}
}
nonisolated protocol Window: Sendable {
    var keys: FutureStream<Event> { get }
}
nonisolated final class Sensor: Sendable {
    func observe(_ measured: @escaping @Sendable (Double) -> Void) -> Int { 0 }
    func removeObserver(_ id: Int) {}
}

@MainActor protocol Alert: Sendable {
    @discardableResult func runModal() -> Int
}
@MainActor protocol Spinner: Sendable {
    func start()
    func stop()
}
@MainActor final class Wheel: Spinner {
    func start() {}
    func stop() {}
}
@MainActor final class Label { var text: String? }
@MainActor final class Tally { var count = 0 }
@MainActor final class Manager {
    weak var delegate: Delegate?
    func startUpdating() {}
    func stopUpdating() {}
}
@MainActor final class Delegate {
    init(_ emitter: StreamEmitter<Position>) {}
}
