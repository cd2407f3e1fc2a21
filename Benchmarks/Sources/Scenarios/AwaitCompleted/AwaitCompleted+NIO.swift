import NIOCore
import NIOPosix

extension AwaitCompleted {
    /// For information: on a real loop, because the embedded one has to stay on the thread that made it.
    @concurrent
    static func nioFutures(_ count: Int) async throws {
        let future = MultiThreadedEventLoopGroup.singleton.any().makeSucceededFuture(1)
        for _ in 0..<count { blackHole(try await future.get()) }
    }

    @MainActor
    static func nioFuturesOnMain(_ count: Int) async throws {
        let future = MultiThreadedEventLoopGroup.singleton.any().makeSucceededFuture(1)
        for _ in 0..<count { blackHole(try await future.get()) }
    }
}
