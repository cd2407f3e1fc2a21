import NIOCore
import NIOEmbedded

extension MapLink {
    static func nioPromises(_ count: Int) {
        let loop = EmbeddedEventLoop()
        for value in 0..<(count / length) {
            let promise = loop.makePromise(of: Int.self)
            escape(promise.futureResult)
            let last = nioChain(from: promise.futureResult)
            escape(last)
            promise.succeed(value)
        }
    }

    @inline(__always)
    static func nioChain(from head: EventLoopFuture<Int>) -> EventLoopFuture<Int> {
        var last = head
        for _ in 0..<length {
            last = last.map { $0 &+ 1 }
        }
        return last
    }
}
