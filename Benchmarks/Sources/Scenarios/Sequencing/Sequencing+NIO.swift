import NIOCore
import NIOEmbedded

extension Sequencing {
    static func nioPromises(_ count: Int) {
        let loop = EmbeddedEventLoop()
        for _ in 0..<(count / length) {
            let inputs = (0..<length).map { _ in loop.makePromise(of: Int.self) }
            let all = EventLoopFuture.whenAllSucceed(inputs.map(\.futureResult), on: loop)
            all.whenSuccess { blackHole($0.count) }
            for (value, input) in inputs.enumerated() { input.succeed(value) }
        }
    }

    static func nioCompletedFutures(_ count: Int) {
        let loop = EmbeddedEventLoop()
        let inputs = (0..<length).map { loop.makeSucceededFuture($0) }
        for _ in 0..<(count / length) {
            let all = EventLoopFuture.whenAllSucceed(inputs, on: loop)
            all.whenSuccess { blackHole($0.count) }
        }
    }
}
