import SimpleFutures
import SimpleFuturesInterop

/// Ours: `future(method:)` and an await that ends when the task is cancelled.
struct MethodFutureCell: Cell {
    private let method = LegacyMethod()

    func complete(_ value: Int) { method.finish(value) }

    func wait() async throws -> Int {
        let result: Future<Int> = future(method: method.load)
        return try await result.value
    }
}
