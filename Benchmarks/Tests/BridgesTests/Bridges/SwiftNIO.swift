import NIOCore
import SimpleFutures
import SimpleFuturesInterop

extension EventLoopFuture where Value: Sendable {
    func asFuture() -> Future<Value> {
        future { whenComplete($0) }
    }
}

extension Future {
    func eventLoopFuture(on eventLoop: any EventLoop) -> EventLoopFuture<T> {
        let promise = eventLoop.makePromise(of: T.self)
        let immediate = ImmediateContext()
        onComplete(context: immediate) { promise.completeWith($0.result) }
        onCancel(context: immediate) { promise.fail(CancellationError()) }
        return promise.futureResult
    }
}

struct EventLoopContext: ExecutionContext, Hashable {
    let eventLoop: any EventLoop

    func execute(_ task: @escaping @Sendable () -> Void) {
        eventLoop.execute(task)
    }
    static func == (a: Self, b: Self) -> Bool { a.eventLoop === b.eventLoop }
    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(eventLoop))
    }
}
