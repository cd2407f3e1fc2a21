import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Loops: nobody is held who takes over what others emit", .watchdog, .serialized)
struct StreamBreakTests {
    @Test func `a loop gets its first element, however fast another thread emits`() async throws {
        let promise = StreamPromise<Int>(capacity: 1_000)
        let isOver = Box(false)
        let isAtIt = Promise<Void>()
        let emitted = Promise<Int>()
        Thread {
            var count = 0
            while !isOver.value {
                count += 1
                promise.success(count)
                if count == 1_000 { isAtIt.success() }
            }
            promise.finish()
            emitted.success(count)
        }.start()
        try await isAtIt.future.value
        var all: [Int] = []
        for try await value in promise.stream.values {
            isOver.value = true
            all.append(value)
        }
        #expect(try await emitted.future.value == all.last)
        #expect(all == Array(all[0]..<all[0] + all.count))
    }
}
