import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// Dispatch is such a module: a closure literal that goes there from the main actor is the main actor's, and traps
// elsewhere. A function of the library's does not.
@Suite("Blocks of the library in the hands of a module that is not checked", .watchdog)
struct DispatchTests {
    @Test func `a work item`() async throws {
        let done: Future<Void> = future { block in
            DispatchQueue.global().async(execute: DispatchWorkItem(block: block))
        }
        try await done.value
    }

    @Test func `the handler of a timer on a background queue`() async throws {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        let fired: Future<Void> = future { timer.setEventHandler(handler: $0) }
        timer.schedule(deadline: .now())
        timer.resume()
        try await fired.value
        timer.cancel()
    }

    @Test func `functions of promises, futures and tokens`() async throws {
        let (promise, bare, token) = (Promise<Void>(), Future<Void>(), CancelToken())
        DispatchQueue.global().async(execute: DispatchWorkItem(block: promise.success))
        DispatchQueue.global().async(execute: DispatchWorkItem(block: bare.success))
        DispatchQueue.global().async(execute: DispatchWorkItem(block: token.cancel))
        try await promise.future.value
        try await bare.value
        let cancelled = Promise<Void>()
        token.onCancel(cancelled.success)
        try await cancelled.future.value
    }

    @Test func `a closure that is marked as one for any thread`() async throws {
        let promise = Promise<Int>()
        DispatchQueue.global().async(execute: DispatchWorkItem { @Sendable in promise.success(1) })
        #expect(try await promise.future.value == 1)
    }

    @Test func `the end of a group`() async throws {
        let group = DispatchGroup()
        let done: Future<Void> = future { block in
            DispatchQueue.global().async(group: group) {}
            group.notify(queue: .global(), execute: block)
        }
        try await done.value
    }
}
