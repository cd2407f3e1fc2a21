import NIOCore
import NIOEmbedded

extension OneCallback {
    /// SwiftNIO's promise on its embedded loop: no lock, and no dispatch to another thread.
    static func nioPromises(_ count: Int) {
        let loop = EmbeddedEventLoop()
        for value in 0..<count {
            let promise = loop.makePromise(of: Int.self)
            escape(promise.futureResult)
            promise.futureResult.whenSuccess { blackHole($0) }
            promise.succeed(value)
        }
    }
}
