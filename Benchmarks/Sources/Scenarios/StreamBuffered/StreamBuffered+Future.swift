import SimpleFutures
import SimpleFuturesInterop

extension StreamBuffered {
    @concurrent
    static func futureStreams(_ count: Int, _ stopwatch: inout Stopwatch) async throws {
        for _ in 0..<(count / length) {
            let stream = FutureStream<Int>(capacity: 0)
            let subscription = stream.subscription()
            for value in 0..<length { stream.success(value) }
            stream.finish()
            try await stopwatch.measure {
                for try await value in subscription { blackHole(value) }
            }
        }
    }
}
