// Protocols, generic types, actors, main-actor types, handles, Objective-C names.

import Foundation
import SimpleFuturesInterop

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

public struct Store: ItemStore {
    public func find(_ id: Int, completion: @escaping @Sendable (Item?, (any Error)?) -> Void) {
        completion(Item(id: id), nil)
    }
    public func count(completion: @escaping @Sendable (Int) -> Void) { completion(1) }
}

final class Cache<Key: Hashable & Sendable, Value>: Sendable {
    func value(for key: Key, completion: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        completion(.failure(CancellationError()))
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
    func sendBoth<A: Endpoint, B: Endpoint>(_ first: A, _ second: B, completion: @escaping @Sendable (A, [B.Response]) -> Void) {
        completion(first, [second.response])
    }
}

actor Archive {
    private var items = [Item()]
    func first(completion: @escaping @Sendable (Item?) -> Void) { completion(items.first) }
    nonisolated func name(completion: @escaping @Sendable (String) -> Void) { completion("archive") }
}

@MainActor final class Screen {
    var title = ""
    func show(_ item: Item, completion: (@Sendable () -> Void)? = nil) {
        title = "\(item.id)"
        completion?()
    }
    @MainActor func hide(completion: @escaping @Sendable () -> Void) { completion() }
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
    func optionalRequest(_ id: Int, completion: @escaping @Sendable (Result<Item, any Error>) -> Void) -> Request? {
        completion(.success(Item(id: id)))
        return nil
    }
    func uploadTask(_ item: Item, completion: @escaping @Sendable ((any Error)?) -> Void) -> UploadTask {
        completion(nil)
        return UploadTask()
    }
    func task(completion: @escaping @Sendable (Item) -> Void) -> Task<Void, Never> {
        Task { completion(Item()) }
    }
}

struct UploadTask: Sendable {
    func cancel() {}
}

enum Namespace {
    struct Inner {
        var future = 1
        func load(completion: @escaping @Sendable (Item?, (any Error)?) -> Void) { completion(Item(id: future), nil) }
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

protocol Shelf: Sendable {
    func count(completion: @escaping @Sendable (Int) -> Void)
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
}

struct Drawer<Value> {
    let value: Value
}

extension Drawer {
    func open(completion: @escaping @Sendable (Value?, (any Error)?) -> Void) { completion(value, nil) }
}

protocol Stock {
    associatedtype Element
    var next: Element? { get }
}

extension Stock {
    func take(completion: @escaping @Sendable (Element?, (any Error)?) -> Void) { completion(next, nil) }
}
