import SimpleFutures
import SimpleFuturesInterop

/// SimpleFutures: a bare future.
struct FutureCell: Cell {
    private let future = Future<Int>()

    func complete(_ value: Int) { future.success(value) }

    func wait() async throws -> Int { try await future.value }
}

/// SimpleFutures: a promise, which fails its future when it is dropped.
struct PromiseCell: Cell {
    private let promise = Promise<Int>()

    func complete(_ value: Int) { promise.success(value) }

    func wait() async throws -> Int { try await promise.future.value }
}

/// SimpleFutures: a future with typed errors.
struct TypedCell: Cell {
    private let future = Future<Int>()

    func complete(_ value: Int) { future.success(value) }

    func wait() async throws -> Int { try await future.typed(as: WaitError.self).value }
}
