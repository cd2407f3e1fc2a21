import Dispatch
import SimpleFutures
import Testing

// Names of a user's own, which the library has too. That this compiles is most of the test.

extension ExecutionContext where Self == DispatchQueue {
    fileprivate static var main: DispatchQueue { DispatchQueue(label: "own") }
}

private final class OwnQueue: Sendable {
    static var current: OwnQueue? { OwnQueue() }
}

private func isOnQueue(_ context: any ExecutionContext) -> Bool { context is DispatchQueue }
private func place(_ context: any ExecutionContext) -> String { "context" }
private func place(_ queue: OwnQueue?) -> String { "queue" }

private protocol OwnWork {
    var isCompleted: Bool { get }
    func cancel() -> String
    func stop()
}

extension OwnWork {
    fileprivate var isCompleted: Bool { true }
    fileprivate func cancel() -> String { "own" }
    fileprivate func stop() {}
}

private protocol OwnCancellable {
    func cancel()
}

extension OwnCancellable {
    fileprivate func cancel() {}
}

private protocol OwnFlag {
    var isCanceled: Bool { get }
}

extension OwnFlag {
    fileprivate var isCanceled: Bool { true }
}

private protocol OwnSequence {
    associatedtype T: Sendable
    var value: T { get throws }
    func prefix(_ count: Int) -> FutureStream<T>
    func collect() -> Future<[T]>
}

extension OwnSequence {
    fileprivate var value: T { get throws { throw CancellationError() } }
    fileprivate func prefix(_ count: Int) -> FutureStream<T> { FutureStream(capacity: 7) }
    fileprivate func collect() -> Future<[T]> { Future(value: []) }
}

private protocol OwnResult {
    associatedtype T: Sendable
    func get() throws -> T
    func then<R>(_ body: @escaping (T) throws -> R) -> Future<T>
    func whenSuccess(_ body: @escaping (T) -> Void)
}

extension OwnResult {
    fileprivate func get() throws -> T { throw CancellationError() }
    fileprivate func then<R>(_ body: @escaping (T) throws -> R) -> Future<T> { Future(error: CancellationError()) }
    fileprivate func whenSuccess(_ body: @escaping (T) -> Void) {}
}

extension Future: OwnCancellable, OwnResult, OwnWork {}
extension CancelToken: OwnFlag {}
extension FutureStream: OwnSequence {}

@Suite("Names of the user's own keep their meaning")
struct OwnNamesTests {
    @Test func `short names of contexts`() {
        #expect(isOnQueue(.main))
        #expect(place(.current) == "queue")
    }

    @Test func `a default implementation satisfies a requirement with the name of a hint`() {
        let (work, flag): (any OwnWork, any OwnFlag) = (Future<Int>(), CancelToken())
        #expect(work.isCompleted && work.cancel() == "own" && flag.isCanceled)
        let result: any OwnResult = Future(value: 1)
        #expect(throws: CancellationError.self) { _ = try result.get() }
    }
}
