import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("The future of an operation", .watchdog)
struct OperationTests {
    @Test func `it is completed when the operation has finished`() async throws {
        let (queue, gate, ran) = (OperationQueue(), Gate(), Box(false))
        let operation = BlockOperation {
            gate.pass()
            ran.value = true
        }
        let done = operation.finished()
        queue.addOperation(operation)
        #expect(!done.completed)
        gate.open()
        try await done.value
        #expect(ran.value && operation.isFinished)
    }

    @Test func `of an operation that has finished before it is completed too`() async throws {
        let operation = BlockOperation {}
        operation.start()
        #expect(operation.isFinished)
        try await operation.finished().value
        try await operation.finished(onCancel: .wait).value
    }

    @Test func `each call gives one, and the completion block stays the user's`() async throws {
        let (blocks, operation) = (Box(0), BlockOperation {})
        operation.completionBlock = { blocks.change { $0 += 1 } }
        let futures = (0..<10).map { _ in operation.finished() }
        operation.completionBlock = { blocks.change { $0 += 10 } }
        OperationQueue().addOperation(operation)
        for future in futures { try await future.value }
        await until { blocks.value == 10 }
    }

    @Test(arguments: [TaskCancellationResponse.abandon, .wait])
    func `an operation that is cancelled fails it with CancellationError`(_ response: TaskCancellationResponse) async {
        let (queue, ran) = (OperationQueue(), Box(false))
        queue.isSuspended = true
        let operation = BlockOperation { ran.value = true }
        let done = operation.finished(onCancel: response)
        queue.addOperation(operation)
        operation.cancel()
        queue.isSuspended = false
        #expect(await done.outcome.error is CancellationError)
        #expect(!done.isCancelled && !ran.value)
    }

    @Test func `a token cancels the operation, and the future at once`() async {
        let (queue, token) = (OperationQueue(), CancelToken())
        queue.isSuspended = true
        let operation = BlockOperation {}
        let done = operation.finished(cancelToken: token)
        queue.addOperation(operation)
        token.cancel()
        #expect(operation.isCancelled && done.isCancelled && !operation.isFinished)
        queue.isSuspended = false
        await until { operation.isFinished }
        #expect(done.isCancelled && token.registrationCount == 0)
    }

    @Test func `with wait the future is completed when the operation has finished`() async {
        let (queue, token, gate, begun) = (OperationQueue(), CancelToken(), Gate(), Box(false))
        let operation = BlockOperation {
            begun.value = true
            gate.pass()
        }
        let done = operation.finished(cancelToken: token, onCancel: .wait)
        queue.addOperation(operation)
        await until { begun.value }
        token.cancel()
        #expect(operation.isCancelled && !done.completed && !done.isCancelled)
        gate.open()
        #expect(await done.outcome.error is CancellationError)
        #expect(token.registrationCount == 0)
    }

    @Test func `a token that is cancelled after the end has no effect`() async throws {
        let (token, operation) = (CancelToken(), BlockOperation {})
        let done = operation.finished(cancelToken: token)
        OperationQueue().addOperation(operation)
        try await done.value
        token.cancel()
        #expect(done.result?.value != nil)
        #expect(!operation.isCancelled)
    }

    @Test func `an await with the token cancels the operation with its task`() async {
        let (queue, token) = (OperationQueue(), CancelToken())
        queue.isSuspended = true
        let operation = BlockOperation {}
        let done = operation.finished(cancelToken: token)
        queue.addOperation(operation)
        let task = Task { try await done.value(cancelling: token) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await until { operation.isCancelled }
        queue.isSuspended = false
    }

    @Test func `dropping the future cancels nothing`() async {
        let (queue, ran) = (OperationQueue(), Box(false))
        queue.isSuspended = true
        let operation = BlockOperation { ran.value = true }
        _ = operation.finished()
        queue.addOperation(operation)
        queue.isSuspended = false
        await until { ran.value }
        #expect(!operation.isCancelled)
    }

    @Test func `an operation that has finished is released`() async throws {
        weak var probe: Probe?
        weak var released: Operation?
        let token = CancelToken()
        do {
            let captured = Probe()
            let operation = BlockOperation { captured.touch() }
            (probe, released) = (captured, operation)
            let done = operation.finished(cancelToken: token)
            OperationQueue().addOperation(operation)
            try await done.value
        }
        await until { released == nil && probe == nil }
    }

    // MARK: By the queue

    @Test func `a queue gives the result`() async throws {
        let operation = Doubling(21)
        let result = OperationQueue().run(operation) { $0.result }
        #expect(try await result.value == 42)
        #expect(operation.isFinished)
    }

    @Test func `what the result throws is the failure`() async {
        let result = OperationQueue().run(Doubling(1)) { _ -> Int in throw Failure() }
        #expect(await result.outcome.error is Failure)
    }

    @Test func `a cancelled operation has no result`() async {
        let (queue, asked) = (OperationQueue(), Box(false))
        queue.isSuspended = true
        let operation = Doubling(1)
        let result = queue.run(operation) { operation in
            asked.value = true
            return operation.result
        }
        queue.cancelAllOperations()
        queue.isSuspended = false
        #expect(await result.outcome.error is CancellationError)
        #expect(!asked.value && operation.result == 0)
    }

    @Test func `a token cancels the operation in the queue, and the result at once`() async {
        let (queue, token, asked) = (OperationQueue(), CancelToken(), Box(false))
        queue.isSuspended = true
        let operation = Doubling(1)
        let result = queue.run(operation, cancelToken: token) { _ in asked.value = true }
        token.cancel()
        #expect(result.isCancelled && operation.isCancelled)
        queue.isSuspended = false
        await until { queue.operationCount == 0 }
        #expect(!asked.value && operation.result == 0)
    }

    @Test func `if the end and the cancellation race, the future ends once, one way or the other`() async {
        for _ in 0..<300 {
            let (queue, token, begun) = (OperationQueue(), CancelToken(), Box(false))
            let operation = BlockOperation { begun.value = true }
            let done = operation.finished(cancelToken: token)
            queue.addOperation(operation)
            await until { begun.value }
            token.cancel()
            _ = await done.outcome
            #expect(done.isCancelled || done.completed)
        }
    }
}

private final class Doubling: Operation, @unchecked Sendable {
    // Sendable, because the queue runs it once, and it is asked afterwards.
    private let number: Int
    private(set) var result = 0

    init(_ number: Int) { self.number = number }

    override func main() { result = 2 * number }
}
