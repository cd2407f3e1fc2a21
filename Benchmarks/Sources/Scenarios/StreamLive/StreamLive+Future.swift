import Dispatch
import SimpleFutures
import SimpleFuturesInterop

extension StreamLive {
    @concurrent
    static func futureStreams(_ count: Int, _ stopwatch: inout Stopwatch) async throws {
        let producer = DispatchQueue(label: "producer")
        for _ in 0..<(count / length) {
            let stream = FutureStream<Int>(capacity: 0)
            let subscription = stream.subscription()
            try await stopwatch.measure {
                producer.async {
                    for value in 0..<length { stream.success(value) }
                    stream.finish()
                }
                for try await value in subscription { blackHole(value) }
            }
        }
    }
}
