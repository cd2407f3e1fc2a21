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

    @Test func `the main operation queue is the main queue`() async {
        let (promise, order) = (Promise<Int>(), Log<Int>())
        let contexts: [any ExecutionContext] = [QueueContext.main, OperationQueue.main, QueueContext.main]
        for (index, context) in contexts.enumerated() {
            promise.future.onSuccess(context: context) { _ in
                MainActor.preconditionIsolated()
                order.add(index)
            }
        }
        promise.success(1)
        await until { order.count == 3 }
        #expect(order.all == [0, 1, 2])
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

    @Test(arguments: [false, true])
    func `dependent operations begin when it has finished, even after a failure`(fails: Bool) async {
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

    @Test func `work that throws, is broken or was canceled finishes it`() async {
        let token = CancelToken()
        token.cancel()
        let operations = [
            FutureOperation<Int> { _ in throw Failure() }, FutureOperation { _ in Promise<Int>().future },
            FutureOperation { _ in Future(value: 1).map(cancelToken: token) { $0 } },
        ]
        for (operation, end) in zip(operations, [.failure(Failure()), .broken, .cancelled] as [Outcome<Int>]) {
            queue.addOperation(operation)
            #expect(await operation.future.end() == end)
            await until { operation.isFinished }
        }
    }

    @Test func `if it is released before its start, its future is broken and its captures are released`() async {
        let future = Box<Future<Int>?>(nil)
        let captures = Watch { probe in
            let operation = FutureOperation<Int> { _ in
                probe.use()
                return Future(value: 1)
            }
            future.value = operation.future
        }
        #expect(captures.isReleased)
        guard case .brokenPromise(let site?) = await future.value?.outcome.error as? FuturesError else {
            Issue.record("not broken")
            return
        }
        #expect(site.fileID.hasSuffix("FutureOperationTests.swift"))
    }

    @Test(arguments: [false, true])
    func `a finished operation is released`(cancels: Bool) async {
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

    @Test func `a second start has no effect, nor has a cancellation after the end`() async {
        let promise = Promise<Int>()
        let operation = operation(promise)
        operation.start()
        operation.start()
        #expect(begun.value.count == 1)
        promise.success(1)
        #expect(operation.isFinished)
        operation.start()
        operation.cancel()
        #expect(operation.isFinished && begun.value.count == 1)
        #expect(operation.future.ended == .success(1))
    }

    @Test(arguments: [TaskCancellationResponse.abandon, .wait])
    func `canceled before its start it does no work; its future ends at once, or when the queue starts it`(
        response: TaskCancellationResponse
    ) async {
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

    @Test(arguments: [false, true])
    func `canceled while it runs, it finishes at once and cancels its work, but not an existing future`(
        isExisting: Bool
    ) async {
        let promise = Promise<Int>()
        let operation = isExisting ? FutureOperation(promise.future) : operation(promise)
        queue.addOperation(operation)
        await until { promise.future.observerCount == 1 }
        operation.cancel()
        #expect(operation.isFinished && !operation.isExecuting && operation.future.isCancelled)
        #expect(begun.value.map { $0.isCancelled } == (isExisting ? [] : [true]))
        #expect(promise.future.observerCount == 0)
        #expect(promise.trySuccess(1))
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

    @Test(arguments: [TaskCancellationResponse.abandon, .wait])
    func `canceled while it waits for another operation, it is started by the queue, and its future ends as before`(
        response: TaskCancellationResponse
    ) async {
        for _ in 0..<50 {
            let operation = operation(Promise(), onCancel: response)
            operation.addDependency(Operation())
            queue.addOperation(operation)
            // A canceled operation waits no longer, so the queue starts it before this call has returned.
            operation.cancel()
            await until { operation.isFinished }
            #expect(operation.future.isCancelled == (response == .abandon))
            #expect(await operation.future.outcome.error is CancellationError)
        }
        #expect(begun.value.isEmpty)
    }
}
