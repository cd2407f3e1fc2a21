import Dispatch

extension StreamLive {
    @concurrent
    static func asyncStreams(_ count: Int, _ stopwatch: inout Stopwatch) async throws {
        let producer = DispatchQueue(label: "producer")
        for _ in 0..<(count / length) {
            let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
            try await stopwatch.measure {
                producer.async {
                    for value in 0..<length { continuation.yield(value) }
                    continuation.finish()
                }
                for try await value in stream { blackHole(value) }
            }
        }
    }
}
