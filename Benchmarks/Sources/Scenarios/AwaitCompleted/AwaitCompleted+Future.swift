import SimpleFutures
import SimpleFuturesInterop

extension AwaitCompleted {
    @concurrent
    static func futures(_ count: Int) async throws {
        let future = Future(value: 1)
        escape(future)
        for _ in 0..<count { blackHole(try await future.value) }
    }

    @MainActor
    static func futuresOnMain(_ count: Int) async throws {
        let future = Future(value: 1)
        escape(future)
        for _ in 0..<count { blackHole(try await future.value) }
    }
}
