import SimpleFutures
import SimpleFuturesInterop

/// Ours as a bare future.
struct FutureCell: Cell {
    private let future = Future<Int>()

    func complete(_ value: Int) { future.success(value) }

    func wait() async throws -> Int { try await future.value }
}

/// Ours with a promise, which fails the future when it is dropped.
struct PromiseCell: Cell {
    private let promise = Promise<Int>()

    func complete(_ value: Int) { promise.success(value) }

    func wait() async throws -> Int { try await promise.future.value }
}

/// Ours with a type for its errors.
struct TypedCell: Cell {
    private let future = Future<Int>()

    func complete(_ value: Int) { future.success(value) }

    func wait() async throws -> Int { try await future.typed(as: WaitError.self).value }
}
