import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("FutureOperation", .watchdog)
struct FutureOperationTests {
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

    @Test func `it begins its work when the queue starts it, and finishes with the work`() async throws {
        let promise = Promise<Int>()
        let operation = operation(promise)
        #expect(operation.isAsynchronous && operation.isReady)
        queue.isSuspended = true
        queue.addOperation(operation)
        #expect(begun.value.isEmpty)
        queue.isSuspended = false
        await until { operation.isExecuting && begun.value.count == 1 }
        #expect(!operation.isFinished && !operation.future.completed)
        promise.success(1)
        #expect(try await operation.future.value == 1)
        await until { operation.isFinished }
        #expect(!operation.isExecuting)
        await until { queue.operationCount == 0 }
    }

    @Test func `dependent operations begin when it has finished, even after a failure`() async {
        for fails in [false, true] {
            let (promise, ran) = (Promise<Int>(), Box(false))
            let operation = operation(promise)
            let dependent = BlockOperation { ran.value = true }
            dependent.addDependency(operation)
            for one in [operation, dependent] as [Operation] { queue.addOperation(one) }
            await until { operation.isExecuting }
            #expect(!ran.value && !dependent.isReady)
            if fails { promise.failure(Failure()) } else { promise.success(1) }
            await until { ran.value }
            #expect(operation.isFinished)
        }
    }

    @Test func `a queue limits the number of concurrent operations`() async {
        queue.maxConcurrentOperationCount = 2
        let promises = (0..<6).map { _ in Promise<Int>() }
        for one in promises.map({ operation($0) }) { queue.addOperation(one) }
        for (index, promise) in promises.enumerated() {
            await until { begun.value.count == min(index + 2, 6) }
            promise.success(index)
        }
        await until { queue.operationCount == 0 }
    }

    @Test func `an error of the work fails the future`() async {
        let operation = FutureOperation<Int> { _ in throw Failure() }
        queue.addOperation(operation)
        #expect(await operation.future.outcome.error is Failure)
        await until { operation.isFinished }
    }

    @Test func `broken or canceled work finishes it`() async {
        let broken = FutureOperation { _ in Promise<Int>().future }
        let token = CancelToken()
        token.cancel()
        let cancelled = FutureOperation { _ in Future(value: 1).map(cancelToken: token) { $0 } }
        for one in [broken, cancelled] { queue.addOperation(one) }
        guard case .brokenPromise = await broken.future.outcome.error as? FuturesError else {
            Issue.record("not broken")
            return
        }
        await until { cancelled.future.isCancelled }
        await until { broken.isFinished && cancelled.isFinished }
    }

    @Test func `if it is released before its start, its future is broken and its captures are released`() async {
        weak var probe: Probe?
        let future: Future<Int>
        do {
            let captured = Probe()
            probe = captured
            let operation = FutureOperation<Int> { _ in
                captured.use()
                return Future(value: 1)
            }
            future = operation.future
        }
        #expect(probe == nil)
        guard case .brokenPromise(let site?) = await future.outcome.error as? FuturesError else {
            Issue.record("not broken")
            return
        }
        #expect(site.fileID.hasSuffix("FutureOperationTests.swift"))
    }

    @Test func `a finished operation is released`() async {
        for cancels in [true, false] {
            weak var released: Operation?
            weak var probe: Probe?
            let promise = Promise<Int>()
            do {
                let captured = Probe()
                let operation = FutureOperation<Int> { _ in
                    captured.use()
                    return promise.future
                }
                (released, probe) = (operation, captured)
                queue.addOperation(operation)
                await until { promise.future.observerCount == 1 }
                if cancels { operation.cancel() } else { promise.success(1) }
            }
            await until { released == nil && probe == nil }
        }
    }

    @Test func `a second start has no effect`() async {
        let promise = Promise<Int>()
        let operation = operation(promise)
        operation.start()
        operation.start()
        #expect(begun.value.count == 1)
        promise.success(1)
        #expect(operation.isFinished)
        operation.start()
        #expect(operation.isFinished && begun.value.count == 1)
    }

    // MARK: Cancellation

    @Test(arguments: [TaskCancellationResponse.abandon, .wait])
    func
        `canceled before its start it does no work, and its future is canceled at once or fails when the queue starts it`(
            response: TaskCancellationResponse
        ) async
    {
        queue.isSuspended = true
        let operation = operation(Promise(), onCancel: response)
        queue.addOperation(operation)
        operation.cancel()
        #expect(operation.future.isCancelled == (response == .abandon))
        #expect(!operation.future.completed && operation.isCancelled && !operation.isFinished)
        queue.isSuspended = false
        #expect(await operation.future.outcome.error is CancellationError)
        await until { operation.isFinished }
        #expect(begun.value.isEmpty)
    }

    @Test func `canceled while it runs, it finishes at once and cancels its work`() async {
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

    @Test func `canceled while it runs, with wait, it finishes with the work`() async throws {
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

    @Test func `canceling it after its end has no effect`() async {
        let operation = FutureOperation(Future(value: 1))
        queue.addOperation(operation)
        await until { operation.isFinished }
        operation.cancel()
        #expect(operation.future.result?.value == 1 && operation.isFinished && !operation.future.isCancelled)
    }

    @Test func `canceling an operation does not cancel the existing future that it waits for`() async {
        let promise = Promise<Int>()
        let operation = FutureOperation(promise.future)
        queue.addOperation(operation)
        await until { promise.future.observerCount == 1 }
        operation.cancel()
        #expect(operation.isFinished && operation.future.isCancelled)
        #expect(promise.trySuccess(1))
    }

    @Test func `a cancellation that races with start and end always finishes it`() async {
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
