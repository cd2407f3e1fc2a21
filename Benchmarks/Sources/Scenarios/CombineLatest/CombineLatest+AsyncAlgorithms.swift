import AsyncAlgorithms
import Dispatch

extension CombineLatest {
    @concurrent
    static func asyncSequences(_ count: Int, _ stopwatch: inout Stopwatch) async throws {
        let producer = DispatchQueue(label: "producer")
        for _ in 0..<(count / length) {
            let (first, firstInput) = AsyncThrowingStream.makeStream(of: Int.self)
            let (second, secondInput) = AsyncThrowingStream.makeStream(of: Int.self)
            try await stopwatch.measure {
                producer.async {
                    for value in 0..<(length / 2) {
                        firstInput.yield(value)
                        secondInput.yield(value)
                    }
                    firstInput.finish()
                    secondInput.finish()
                }
                for try await (left, right) in AsyncAlgorithms.combineLatest(first, second) { blackHole(left &+ right) }
            }
        }
    }
}
