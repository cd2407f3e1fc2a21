import Dispatch
import SimpleFutures
import SimpleFuturesInterop

extension CombineLatest {
    @concurrent
    static func futureStreams(_ count: Int, _ stopwatch: inout Stopwatch) async throws {
        let producer = DispatchQueue(label: "producer")
        for _ in 0..<(count / length) {
            let (first, second) = (FutureStream<Int>(capacity: 0), FutureStream<Int>(capacity: 0))
            let pairs = combineLatest(first, second).subscription()
            try await stopwatch.measure {
                producer.async {
                    for value in 0..<(length / 2) {
                        first.success(value)
                        second.success(value)
                    }
                    first.finish()
                    second.finish()
                }
                for try await (left, right) in pairs { blackHole(left &+ right) }
            }
        }
    }
}
