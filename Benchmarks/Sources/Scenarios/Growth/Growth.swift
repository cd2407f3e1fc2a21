import SimpleFutures

/// Row 15: the cost of one link, callback or element among many, compared with one among few.
enum Growth {
    /// A chain of `length` `map` links, built, completed and released.
    static func links(_ length: Int) -> Scenario {
        Scenario("growth.links.\(length)", batch: largest) { count in
            for value in 0..<(count / length) {
                let head = Future<Int>()
                var last = head
                for _ in 0..<length { last = last.map(context: ImmediateContext()) { $0 &+ 1 } }
                head.success(value)
                escape(last)
            }
        }
    }

    /// `length` callbacks on one future, which then run.
    static func callbacks(_ length: Int) -> Scenario {
        Scenario("growth.callbacks.\(length)", batch: largest) { count in
            for value in 0..<(count / length) {
                let future = Future<Int>()
                for _ in 0..<length { future.onSuccess(context: ImmediateContext()) { blackHole($0) } }
                future.success(value)
            }
        }
    }

    /// `length` elements through one stream without a replay buffer.
    static func elements(_ length: Int) -> Scenario {
        Scenario("growth.elements.\(length)", batch: largest) { count in
            for _ in 0..<(count / length) {
                let stream = FutureStream<Int>(capacity: 0)
                stream.onSuccess(context: ImmediateContext()) { blackHole($0) }
                for value in 0..<length { stream.success(value) }
                stream.finish()
            }
        }
    }

    /// `length` elements that a stream keeps and replays to a late subscriber.
    static func history(_ length: Int) -> Scenario {
        Scenario("growth.history.\(length)", batch: largest) { count in
            for _ in 0..<(count / length) {
                let stream = FutureStream<Int>(capacity: length)
                for value in 0..<length { stream.success(value) }
                stream.onSuccess(context: ImmediateContext()) { blackHole($0) }
                stream.finish()
            }
        }
    }

    /// `length` elements through a stream that keeps the newest few, so that old elements are evicted one by one.
    static func window(_ length: Int) -> Scenario {
        Scenario("growth.window.\(length)", batch: largest) { count in
            let stream = FutureStream<Int>(capacity: length)
            for value in 0..<count { stream.success(value) }
            stream.finish()
        }
    }

    static let smallest = 1_000
    static let largest = 1_000_000
}
