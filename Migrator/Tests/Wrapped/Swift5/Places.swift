// Protocols, generic types, actors, main-actor types, handles, Objective-C names.

import Foundation
import SimpleFuturesInterop
import SimpleFutures

public struct Item: Sendable, Equatable {
    public var id = 1
}

public protocol ItemStore: Sendable {
    associatedtype Element

    /// Finds an item.
    ///
    /// - Parameters:
    ///   - id: The number of the item.
    ///   - completion: Gets the item.
    func find(_ id: Int, completion: @escaping @Sendable (Element?, (any Error)?) -> Void)
    func count(completion: @escaping @Sendable (Int) -> Void)
}

extension ItemStore {
    /// Finds an item.
    ///
    /// - Parameters:
    ///   - id: The number of the item.
    /// - Returns: A future of the result.
    public func find(_ id: Int) -> Future<Element> where Element: Sendable { future { find(id, completion: $0) } }

    /// Finds an item.
    ///
    /// - Parameters:
    ///   - id: The number of the item.
    /// - Returns: The result.
    public func find(_ id: Int) async throws -> Element where Element: Sendable {
        try await withCompletionHandler { find(id, completion: $0) }
    }

    public func count() -> Future<Int> { future { count(completion: $0) } }

    public func count() async throws -> Int { try await withCompletionHandler { count(completion: $0) } }
}

public struct Store: ItemStore {
    public func find(_ id: Int, completion: @escaping @Sendable (Item?, (any Error)?) -> Void) {
        completion(Item(id: id), nil)
    }

    public func find(_ id: Int) -> Future<Item> { future { find(id, completion: $0) } }

    public func find(_ id: Int) async throws -> Item { try await withCompletionHandler { find(id, completion: $0) } }

    public func count(completion: @escaping @Sendable (Int) -> Void) { completion(1) }

    public func count() -> Future<Int> { future { count(completion: $0) } }

    public func count() async throws -> Int { try await withCompletionHandler { count(completion: $0) } }
}

final class Cache<Key: Hashable & Sendable, Value>: Sendable {
    func value(for key: Key, completion: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        completion(.failure(CancellationError()))
    }

    func value(for key: Key) -> Future<Value> where Value: Sendable { future { value(for: key, completion: $0) } }

    func value(for key: Key) async throws -> Value where Value: Sendable {
        try await withCompletionHandler { value(for: key, completion: $0) }
    }
}

public protocol Endpoint: Sendable {
    associatedtype Response
    var response: Response { get }
}

public final class Session: Sendable {
    public func send<E: Endpoint>(_ endpoint: E, completion: @escaping @Sendable (Result<E.Response, any Error>) -> Void) {
        completion(.success(endpoint.response))
    }

    public func send<E: Endpoint>(_ endpoint: E) -> Future<E.Response> where E.Response: Sendable {
        future { send(endpoint, completion: $0) }
    }

    public func send<E: Endpoint>(_ endpoint: E) async throws -> E.Response where E.Response: Sendable {
        try await withCompletionHandler { send(endpoint, completion: $0) }
    }

    func sendBoth<A: Endpoint, B: Endpoint>(_ first: A, _ second: B, completion: @escaping @Sendable (A, [B.Response]) -> Void) {
        completion(first, [second.response])
    }

    func sendBoth<A: Endpoint, B: Endpoint>(
        _ first: A, _ second: B
    ) -> Future<(A, [B.Response])> where A: Sendable, B.Response: Sendable {
        future { sendBoth(first, second, completion: $0) }
    }

    func sendBoth<A: Endpoint, B: Endpoint>(
        _ first: A, _ second: B
    ) async throws -> (A, [B.Response]) where A: Sendable, B.Response: Sendable {
        try await future { sendBoth(first, second, completion: $0) }.value
    }
}

actor Archive {
    private var items = [Item()]
    func first(completion: @escaping @Sendable (Item?) -> Void) { completion(items.first) }

    func first() -> Future<Item?> { future { first(completion: $0) } }

    func first() async throws -> Item? { try await withCompletionHandler { first(completion: $0) } }

    nonisolated func name(completion: @escaping @Sendable (String) -> Void) { completion("archive") }

    nonisolated func name() -> Future<String> { future { name(completion: $0) } }

    nonisolated func name() async throws -> String { try await withCompletionHandler { name(completion: $0) } }
}

@MainActor final class Screen {
    var title = ""
    func show(_ item: Item, completion: (@Sendable () -> Void)? = nil) {
        title = "\(item.id)"
        completion?()
    }

    @_disfavoredOverload
    func show(_ item: Item) -> Future<Void> { future { show(item, completion: $0) } }

    @_disfavoredOverload
    func show(_ item: Item) async throws { try await withCompletionHandler { show(item, completion: $0) } }

    @MainActor func hide(completion: @escaping @Sendable () -> Void) { completion() }

    @MainActor
    func hide() -> Future<Void> { future { hide(completion: $0) } }

    @MainActor
    func hide() async throws { try await withCompletionHandler { hide(completion: $0) } }
}

final class Request: Sendable, CancellableHandle {
    func cancel() {}
}

final class Upload: Sendable {
    func cancel() {}
}

final class Transfers: Sendable {
    /// Starts a request.
    ///
    /// - Parameters:
    ///   - id: The number of the item.
    ///   - completion: Gets the item.
    /// - Returns: The request, to cancel it.
    @discardableResult
    func request(_ id: Int, completion: @escaping @Sendable (Item?, (any Error)?) -> Void) -> Request {
        completion(Item(id: id), nil)
        return Request()
    }

    /// Starts a request.
    ///
    /// - Parameters:
    ///   - id: The number of the item.
    ///   - cancelToken: Cancels the call.
    /// - Returns: A future of the result.
    func request(_ id: Int, cancelToken: CancelToken) -> Future<Item> {
        future(cancelToken: cancelToken) { request(id, completion: $0) }
    }

    /// Starts a request.
    ///
    /// - Parameters:
    ///   - id: The number of the item.
    /// - Returns: The result.
    func request(_ id: Int) async throws -> Item { try await withCompletionHandler { request(id, completion: $0) } }

    func optionalRequest(_ id: Int, completion: @escaping @Sendable (Result<Item, any Error>) -> Void) -> Request? {
        completion(.success(Item(id: id)))
        return nil
    }

    func optionalRequest(_ id: Int, cancelToken: CancelToken) -> Future<Item> {
        future(cancelToken: cancelToken) { optionalRequest(id, completion: $0) }
    }

    func optionalRequest(_ id: Int) async throws -> Item {
        try await withCompletionHandler { optionalRequest(id, completion: $0) }
    }

    func uploadTask(_ item: Item, completion: @escaping @Sendable ((any Error)?) -> Void) -> UploadTask {
        completion(nil)
        return UploadTask()
    }

    func uploadTask(_ item: Item, cancelToken: CancelToken) -> Future<Void> {
        future(cancelToken: cancelToken) {
            let call = uploadTask(item, completion: $0)
            return CancelAction { call.cancel() }
        }
    }

    func uploadTask(_ item: Item) async throws {
        try await withCompletionHandler {
            let call = uploadTask(item, completion: $0)
            return CancelAction { call.cancel() }
        }
    }

    func task(completion: @escaping @Sendable (Item) -> Void) -> Task<Void, Never> {
        Task { completion(Item()) }
    }

    func task(cancelToken: CancelToken) -> Future<Item> { future(cancelToken: cancelToken) { task(completion: $0) } }

    func task() async throws -> Item { try await withCompletionHandler { task(completion: $0) } }
}

struct UploadTask: Sendable {
    func cancel() {}
}

enum Namespace {
    struct Inner {
        var future = 1
        func load(completion: @escaping @Sendable (Item?, (any Error)?) -> Void) { completion(Item(id: future), nil) }

        func load() -> Future<Item> { SimpleFutures.future { load(completion: $0) } }

        func load() async throws -> Item { try await withCompletionHandler { load(completion: $0) } }
    }
}

final class Outer: Sendable {
    protocol Service: Sendable {
        func load(completion: @escaping @Sendable (Item?, (any Error)?) -> Void)
    }
    protocol PumpDelegate: AnyObject {
        func pumpDidStart()
    }
}

extension Outer.Service {
    func load() -> Future<Item> { future { load(completion: $0) } }

    func load() async throws -> Item { try await withCompletionHandler { load(completion: $0) } }
}

protocol Shelf: Sendable {
    func count(completion: @escaping @Sendable (Int) -> Void)
}

extension Shelf {
    func count() -> Future<Int> { future { count(completion: $0) } }

    func count() async throws -> Int { try await withCompletionHandler { count(completion: $0) } }
}

extension Shelf {
    func count(completion: @escaping @Sendable (Int) -> Void) { completion(0) }
}

extension Outer {
    func remove(_ item: Item) throws {}
    func remove(_ item: Item, completion: @escaping @Sendable ((any Error)?) -> Void) {
        do {
            try remove(item)
            completion(nil)
        } catch { completion(error) }
    }

    @_disfavoredOverload
    func remove(_ item: Item) -> Future<Void> { future { remove(item, completion: $0) } }

    @_disfavoredOverload
    func remove(_ item: Item) async throws { try await withCompletionHandler { remove(item, completion: $0) } }
}

struct Drawer<Value> {
    let value: Value
}

extension Drawer {
    func open(completion: @escaping @Sendable (Value?, (any Error)?) -> Void) { completion(value, nil) }

    func open() -> Future<Value> where Value: Sendable { future { open(completion: $0) } }

    func open() async throws -> Value where Value: Sendable { try await withCompletionHandler { open(completion: $0) } }
}

protocol Stock {
    associatedtype Element
    var next: Element? { get }
}

extension Stock {
    func take(completion: @escaping @Sendable (Element?, (any Error)?) -> Void) { completion(next, nil) }

    func take() -> Future<Element> where Element: Sendable { future { take(completion: $0) } }

    func take() async throws -> Element where Element: Sendable {
        try await withCompletionHandler { take(completion: $0) }
    }
}
