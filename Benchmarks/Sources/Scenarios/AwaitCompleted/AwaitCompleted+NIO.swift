import NIOCore
import NIOPosix

extension AwaitCompleted {
    /// For information: on a real event loop, because the embedded one must stay on the thread that created it.
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
