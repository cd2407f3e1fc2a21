import NIOCore
import NIOEmbedded

extension HeldFutures {
    static let nio = HeldScenario("held.nio") { count, held in
        let loop = EmbeddedEventLoop()
        for _ in 0..<count {
            let promise = loop.makePromise(of: Int.self)
            promise.futureResult.whenSuccess { blackHole($0) }
            held.append(Held(promise.futureResult))
        }
    }

    static let nioMap = HeldScenario("held.map.nio") { count, held in
        let loop = EmbeddedEventLoop()
        for _ in 0..<(count / MapLink.length) {
            let promise = loop.makePromise(of: Int.self)
            held.append(Held(promise.futureResult, end: MapLink.nioChain(from: promise.futureResult)))
        }
    }
}
