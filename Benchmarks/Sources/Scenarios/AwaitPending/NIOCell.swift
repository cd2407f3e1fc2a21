import NIOCore
import NIOPosix

/// For information: SwiftNIO's promise and its `get()`, which ignores cancellation, on a loop with a thread of its own.
struct NIOCell: Cell {
    private let promise = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Int.self)

    func complete(_ value: Int) { promise.succeed(value) }

    func wait() async throws -> Int { try await promise.futureResult.get() }
}
