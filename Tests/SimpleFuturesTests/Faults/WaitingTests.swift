import Dispatch
import Foundation
import SimpleFutures
import Testing
@testable import TestSupport

// A thread that waits for its own later work waits forever, or until the timeout.

@Suite("Programmer errors: waiting", .watchdog)
struct WaitingTests {
    @Test(arguments: [DispatchQueue(label: "waiting"), .main])
    func `on the queue that would complete the future, a wait times out, and the future completes afterwards`(
        _ queue: DispatchQueue
    ) async {
        let source = Promise<Int>()
        let derived = source.future.map(context: queue) { $0 + 1 }
        let waited = await withCheckedContinuation { done in
            queue.async {
                source.success(1)
                done.resume(returning: Outcome(Try { try derived.wait(timeout: .milliseconds(1)) }))
            }
        }
        #expect(waited == .failure(FuturesError.timedOut))
        #expect(await derived.end() == .success(2))
    }

    @Test func `sync on the current queue is a deadlock that ends the program`() async {
        await #expect(processExitsWith: .failure) {
            let queue = Queue("itself")
            queue.sync { queue.sync {} }
        }
    }
}
