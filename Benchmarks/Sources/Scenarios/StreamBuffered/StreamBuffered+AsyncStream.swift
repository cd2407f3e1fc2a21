extension StreamBuffered {
    /// A throwing stream, because a stream of SimpleFutures can contain failures.
    @concurrent
    static func asyncStreams(_ count: Int, _ stopwatch: inout Stopwatch) async throws {
        for _ in 0..<(count / length) {
            let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
            for value in 0..<length { continuation.yield(value) }
            continuation.finish()
            try await stopwatch.measure {
                for try await value in stream { blackHole(value) }
            }
        }
    }
}
