import SimpleFutures
import SimpleFuturesInterop

enum WaitError: Error { case failed }

enum AnyWaitError: FailureConvertible {
    case failed
    case other(any Error)

    init(other error: any Error) { self = .other(error) }
}

extension AwaitCompleted {
    /// A typed view whose error type cannot represent other errors.
    @concurrent
    static func typedFutures(_ count: Int) async throws {
        let future = Future(value: 1).typed(as: WaitError.self)
        escape(future.future)
        for _ in 0..<count { blackHole(try await future.value) }
    }

    /// A typed view whose error type can represent other errors.
    @concurrent
    static func convertibleFutures(_ count: Int) async throws {
        let future = Future(value: 1).typed(as: AnyWaitError.self)
        escape(future.future)
        for _ in 0..<count { blackHole(try await future.value) }
    }

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
