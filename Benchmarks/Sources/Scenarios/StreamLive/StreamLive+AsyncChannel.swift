import AsyncAlgorithms

extension StreamLive {
    @concurrent
    static func asyncChannels(_ count: Int, _ stopwatch: inout Stopwatch) async throws {
        for _ in 0..<(count / length) {
            let channel = AsyncThrowingChannel<Int, any Error>()
            try await stopwatch.measure {
                let producer = Task.detached {
                    for value in 0..<length { await channel.send(value) }
                    channel.finish()
                }
                for try await value in channel { blackHole(value) }
                await producer.value
            }
        }
    }
}
