import SimpleFutures

extension StreamCallback {
    /// Without a replay buffer, because the subject has none.
    static func futureStreams(_ count: Int) {
        let stream = FutureStream<Int>(capacity: 0)
        escape(stream)
        stream.onSuccess(context: ImmediateContext()) { blackHole($0) }
        for value in 0..<count { stream.success(value) }
        stream.finish()
    }
}
