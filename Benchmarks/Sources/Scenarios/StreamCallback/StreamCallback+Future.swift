import SimpleFutures

extension StreamCallback {
    /// Without a replay buffer, because the subject has none.
    static func futureStreams(_ count: Int, callbacks: Int = 1) {
        let stream = FutureStream<Int>(capacity: 0)
        escape(stream)
        for _ in 0..<callbacks { stream.onSuccess(context: ImmediateContext()) { blackHole($0) } }
        for value in 0..<count { stream.success(value) }
        stream.finish()
    }

    static func mappedStreams(_ count: Int) {
        let stream = FutureStream<Int>(capacity: 0)
        escape(stream)
        stream.map(context: ImmediateContext()) { $0 + 1 }.filter(context: ImmediateContext()) { $0 > 0 }
            .onSuccess(context: ImmediateContext()) { blackHole($0) }
        for value in 0..<count { stream.success(value) }
        stream.finish()
    }
}
