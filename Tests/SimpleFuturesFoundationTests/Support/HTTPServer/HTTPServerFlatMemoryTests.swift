import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

@Suite(.watchdog) struct HTTPServerFlatMemoryTests {
    @Test func `two hundred megabytes are sent as they are taken`() async {
        await #expect(processExitsWith: .success) {
            let count = 200_000_000
            let server = try HTTPServer { _ in .pattern(count: count) }
            let client = try RawClient(server)
            let peak = peakMemory()
            try await client.send("GET / HTTP/1.1\n\n")
            _ = try await client.receiveHead()
            let checked = Lock((offset: 0, isRight: true))
            try await client.receive(count: count) { data in
                checked.withLock { checked in
                    checked.isRight = checked.isRight && HTTPPattern.matches(data, at: checked.offset)
                    checked.offset += data.count
                }
            }
            precondition(checked.withLock { $0.isRight })
            precondition(server.records.bodyBytesSent == count)
            precondition(peakMemory() - peak < count / 2)
        }
    }
}
