import SimpleFutures
import SimpleFuturesInterop

/// SimpleFutures: `future(method:)` and an await that ends when the task is cancelled.
struct MethodFutureCell: Cell {
    private let method = LegacyMethod()

    func complete(_ value: Int) { method.finish(value) }

    func wait() async throws -> Int {
        let result: Future<Int> = future(method: method.load)
        return try await result.value
    }
}

/// SimpleFutures: a completion handler of a shape without an overload of its own.
struct MethodPackCell: Cell {
    private let method = LegacyMethod()

    func complete(_ value: Int) { method.finish(value) }

    func wait() async throws -> Int {
        try await future { (done: @escaping @Sendable (Int?, Int, (any Error)?, Bool) -> Void) in
            method.load { done($0, 1, $1, true) }
        }.value.0 ?? 0
    }
}

/// SimpleFutures: the completion handler without a future.
struct MethodHandlerCell: Cell {
    private let method = LegacyMethod()

    func complete(_ value: Int) { method.finish(value) }

    func wait() async throws -> Int { try await withCompletionHandler { method.load(completion: $0) } }
}

/// SimpleFutures: `future(cancelToken:method:)` of a method that returns a handle, which the cancellation of the task cancels.
struct HandleFutureCell: Cell {
    private let method = LegacyMethod()

    func complete(_ value: Int) { method.finish(value) }

    func wait() async throws -> Int {
        let token = CancelToken()
        let result: Future<Int> = future(cancelToken: token, method: method.cancellable)
        return try await result.value(cancelling: token)
    }
}

/// SimpleFutures: the same without a future.
struct HandleHandlerCell: Cell {
    private let method = LegacyMethod()

    func complete(_ value: Int) { method.finish(value) }

    func wait() async throws -> Int { try await withCompletionHandler { method.cancellable(completion: $0) } }
}
