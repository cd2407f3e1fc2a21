import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("The future of an operation", .watchdog)
struct OperationTests {
    private let queue = OperationQueue()
    private let token = CancelToken()
    private let ran = Box(false)

    /// A queue that is suspended, so that its operations wait.
    private func suspended() -> OperationQueue {
        queue.isSuspended = true
        return queue
    }

    @Test func `it is completed when the operation has finished`() async throws {
        let gate = Gate()
        let operation = BlockOperation { [ran] in
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

    @Test(arguments: [TaskCancellationResponse.abandon, .wait])
    func `the future of an already finished operation is completed too`(_ response: TaskCancellationResponse)
        async throws
    {
        let operation = BlockOperation {}
        operation.start()
        try await operation.finished(onCancel: response).value
    }

    @Test func `each call returns a new one, and the user's completionBlock is kept`() async throws {
        let (blocks, operation) = (Box(0), BlockOperation {})
        operation.completionBlock = { blocks.change { $0 += 1 } }
        let futures = (0..<10).map { _ in operation.finished() }
        operation.completionBlock = { blocks.change { $0 += 10 } }
        queue.addOperation(operation)
        for future in futures { try await future.value }
        await until { blocks.value == 10 }
    }

    @Test(arguments: [TaskCancellationResponse.abandon, .wait])
    func `a canceled operation fails it with CancellationError`(_ response: TaskCancellationResponse) async {
        let operation = BlockOperation { [ran] in ran.value = true }
        let done = operation.finished(onCancel: response)
        suspended().addOperation(operation)
        operation.cancel()
        queue.isSuspended = false
        #expect(await done.outcome.error is CancellationError)
        #expect(!done.isCancelled && !ran.value)
    }

    @Test func `a token cancels the operation, and the future at once`() async {
        let operation = BlockOperation {}
        let done = operation.finished(cancelToken: token)
        suspended().addOperation(operation)
        token.cancel()
        #expect(operation.isCancelled && done.isCancelled && !operation.isFinished)
        queue.isSuspended = false
        await until { operation.isFinished }
        #expect(done.isCancelled && token.registrationCount == 0)
    }

    @Test func `an operation that is never started is released when the token is canceled`() async {
        weak var released: Operation?
        do {
            let operation = BlockOperation {}
            released = operation
            _ = operation.finished(cancelToken: token)
            token.cancel()
        }
        await until { released == nil }
    }

    @Test func `an operation that is never started is released with the future`() async {
        weak var released: Operation?
        var done: Future<Void>?
        do {
            let operation = BlockOperation {}
            released = operation
            done = operation.finished()
        }
        #expect(released != nil)
        #expect(done?.completed == false)
        done = nil
        await until { released == nil }
    }

    @Test func `an operation runs after its future was released, and waiters are notified of its end`() async {
        let (ran, heard) = (Box(0), Promise<Void>())
        let operations = (0..<2).map { _ in BlockOperation { ran.increment() } }
        _ = operations[0].finished()
        operations[1].finished().onSuccess(context: ImmediateContext()) { heard.success() }
        for operation in operations { queue.addOperation(operation) }
        _ = await heard.future.outcome
        await until { ran.value == 2 }
        #expect(operations.allSatisfy { !$0.isCancelled })
    }

    @Test func `with wait the future is completed when the operation has finished`() async {
        let gate = Gate()
        let operation = BlockOperation { [ran] in
            ran.value = true
            gate.pass()
        }
        let done = operation.finished(cancelToken: token, onCancel: .wait)
        queue.addOperation(operation)
        await until { ran.value }
        token.cancel()
        #expect(operation.isCancelled && !done.completed && !done.isCancelled)
        gate.open()
        #expect(await done.outcome.error is CancellationError)
        #expect(token.registrationCount == 0)
    }

    @Test func `canceling a token after the end has no effect`() async throws {
        let operation = BlockOperation {}
        let done = operation.finished(cancelToken: token)
        queue.addOperation(operation)
        try await done.value
        token.cancel()
        #expect(done.result?.value != nil)
        #expect(!operation.isCancelled)
    }

    @Test func `an await with the token cancels the operation when its task is canceled`() async {
        let operation = BlockOperation {}
        let done = operation.finished(cancelToken: token)
        suspended().addOperation(operation)
        let task = Task { try await done.value(cancelling: token) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await until { operation.isCancelled }
        queue.isSuspended = false
    }

    @Test func `dropping the future does not cancel the operation`() async {
        let operation = BlockOperation { [ran] in ran.value = true }
        _ = operation.finished()
        suspended().addOperation(operation)
        queue.isSuspended = false
        await until { ran.value }
        #expect(!operation.isCancelled)
    }

    @Test func `a finished operation is released`() async throws {
        weak var probe: Probe?
        weak var released: Operation?
        do {
            let captured = Probe()
            let operation = BlockOperation { captured.use() }
            (probe, released) = (captured, operation)
            let done = operation.finished(cancelToken: token)
            queue.addOperation(operation)
            try await done.value
        }
        await until { released == nil && probe == nil }
    }

    // MARK: Run by the queue

    @Test func `a queue returns the result, or the error of reading it`() async throws {
        #expect(try await queue.run(Doubling(21)) { $0.result }.value == 42)
        #expect(await queue.run(Doubling(1)) { _ -> Int in throw Failure() }.outcome.error is Failure)
    }

    @Test(arguments: [false, true])
    func `a canceled operation has no result, and a token cancels the future at once`(isByToken: Bool) async {
        let operation = Doubling(1)
        let result = suspended().run(operation, cancelToken: token) { [ran] _ in ran.value = true }
        if isByToken { token.cancel() } else { queue.cancelAllOperations() }
        #expect(operation.isCancelled && result.isCancelled == isByToken)
        queue.isSuspended = false
        #expect(await result.outcome.error is CancellationError)
        await until { queue.operationCount == 0 }
        #expect(!ran.value && operation.result == 0)
    }

    @Test func `a token that was canceled before cancels the operation, in a queue or not`() async {
        token.cancel()
        let operations = (0..<2).map { _ in BlockOperation { [ran] in ran.value = true } }
        #expect(operations[0].finished(cancelToken: token).isCancelled)
        #expect(operations[0].isCancelled)
        #expect(queue.run(operations[1], cancelToken: token) { _ in 1 }.isCancelled)
        await until { operations[1].isFinished }
        #expect(operations[1].isCancelled && !ran.value)
    }

    @Test func `thousands of operations in a queue take time proportional to their number`() async {
        await onThread { OperationsInQueue().expectLinearCost(underStress: 4) }
    }

    @Test func `if the end and the cancellation race, the future ends exactly once`() async {
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
    // Sendable: the queue runs it once, and the result is read afterwards.
    private let number: Int
    private(set) var result = 0

    init(_ number: Int) { self.number = number }

    override func main() { result = 2 * number }
}

private struct OperationsInQueue: LinearWork {
    let size = 1_500

    func run(_ count: Int) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        queue.isSuspended = true
        let futures = (0..<count).map { number in queue.run(BlockOperation {}) { _ in number } }
        queue.isSuspended = false
        _ = try? futures.sequence().wait(timeout: .seconds(600))
    }
}
