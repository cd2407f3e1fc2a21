import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Cancelling an operation that is made of a future", .watchdog)
struct FutureOperationCancellationTests {
    private let queue = OperationQueue()
    private let begun = Box<[CancelToken]>([])

    private func operation(
        _ promise: Promise<Int>, onCancel response: TaskCancellationResponse = .abandon
    ) -> FutureOperation<Int> {
        FutureOperation(onCancel: response) { [begun] token in
            begun.append(token)
            return promise.future
        }
    }

    @Test func `cancelled before its start it does not begin, and its future is cancelled at once`() async {
        queue.isSuspended = true
        let operation = operation(Promise())
        queue.addOperation(operation)
        operation.cancel()
        #expect(operation.future.isCancelled && operation.isCancelled && !operation.isFinished)
        queue.isSuspended = false
        await until { operation.isFinished }
        #expect(begun.value.isEmpty)
    }

    @Test func `cancelled before its start, with wait, it fails with CancellationError`() async {
        queue.isSuspended = true
        let operation = operation(Promise(), onCancel: .wait)
        queue.addOperation(operation)
        operation.cancel()
        #expect(!operation.future.isCancelled && !operation.future.completed)
        queue.isSuspended = false
        #expect(await operation.future.outcome.error is CancellationError)
        #expect(begun.value.isEmpty)
        await until { operation.isFinished }
    }

    @Test func `cancelled while it goes on it finishes at once, and the work has heard of it`() async {
        let promise = Promise<Int>()
        let operation = operation(promise)
        queue.addOperation(operation)
        await until { begun.value.count == 1 && promise.future.observerCount == 1 }
        operation.cancel()
        #expect(operation.isFinished && !operation.isExecuting && operation.future.isCancelled)
        #expect(begun.value[0].isCancelled)
        #expect(promise.future.observerCount == 0)
        promise.success(1)
        #expect(operation.future.result == nil)
    }

    @Test func `cancelled while it goes on, with wait, it finishes when the work has answered`() async throws {
        let promise = Promise<Int>()
        let operation = operation(promise, onCancel: .wait)
        queue.addOperation(operation)
        await until { begun.value.count == 1 }
        operation.cancel()
        #expect(begun.value[0].isCancelled && !operation.isFinished && !operation.future.isCancelled)
        promise.success(1)
        #expect(try await operation.future.value == 1)
        await until { operation.isFinished }
    }

    @Test func `cancelled after its end it stays what it is`() async {
        let operation = FutureOperation(Future(value: 1))
        queue.addOperation(operation)
        await until { operation.isFinished }
        operation.cancel()
        #expect(operation.future.result?.value == 1 && operation.isFinished && !operation.future.isCancelled)
    }

    @Test func `one that is made of a future leaves that alone`() async {
        let promise = Promise<Int>()
        let operation = FutureOperation(promise.future)
        queue.addOperation(operation)
        await until { promise.future.observerCount == 1 }
        operation.cancel()
        #expect(operation.isFinished && operation.future.isCancelled)
        #expect(promise.trySuccess(1))
    }

    @Test func `a cancellation that races with start and end finishes it, always`() async {
        for round in 0..<300 {
            let promise = Promise<Int>()
            let operation = operation(promise, onCancel: round.isMultiple(of: 2) ? .wait : .abandon)
            await withTaskGroup { group in
                group.addTask { [queue] in queue.addOperation(operation) }
                group.addTask { operation.cancel() }
                group.addTask { promise.success(1) }
            }
            await until { operation.isFinished }
            #expect(operation.future.completed || operation.future.isCancelled)
        }
        await until { queue.operationCount == 0 }
    }
}
