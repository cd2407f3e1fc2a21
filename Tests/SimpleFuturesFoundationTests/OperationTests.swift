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

    @Test func `it is completed when the operation has finished, and then a token has no effect`() async throws {
        let gate = Gate()
        let operation = BlockOperation { [ran] in
            gate.pass()
            ran.value = true
        }
        let done = operation.finished(cancelToken: token)
        queue.addOperation(operation)
        #expect(!done.completed)
        gate.open()
        try await done.value
        #expect(ran.value && operation.isFinished)
        token.cancel()
        #expect(!operation.isCancelled && !done.isCancelled)
    }

    @Test func `each call returns a new one, even after the end, and keeps the completionBlock`() async throws {
        let (blocks, operation) = (Box(0), BlockOperation {})
        operation.completionBlock = { blocks.change { $0 += 1 } }
        let futures = (0..<10).map { _ in operation.finished() }
        operation.completionBlock = { blocks.change { $0 += 10 } }
        queue.addOperation(operation)
        for future in futures { try await future.value }
        for response in [TaskCancellationResponse.abandon, .wait] {
            try await operation.finished(onCancel: response).value
        }
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

    @Test func `an operation runs after its future was released, and waiters are notified of its end`() async {
        let (ran, heard) = (Box(0), Promise<Void>())
        let operations = (0..<2).map { _ in BlockOperation { ran.increment() } }
        _ = operations[0].finished()
        operations[1].finished().onSuccess(context: immediate) { heard.success() }
        for operation in operations { queue.addOperation(operation) }
        _ = await heard.future.outcome
        await until { ran.value == 2 }
        #expect(operations.allSatisfy { !$0.isCancelled })
    }

    @Test func `a future that is released at the end of its operation reports nothing`() async {
        let line: UInt = #line
        let reports = await onThread { [queue] in
            Reports.during { reports in
                weak var released: Operation?
                do {
                    let operation = Releasing()
                    operation.future.value = operation.finished(line: line)
                    queue.addOperation(operation)
                    released = operation
                }
                while released != nil { usleep(1_000) }
                return reports.about(CreationSite(line: line))
            }
        }
        #expect(reports.isEmpty)
    }

    @Test(arguments: [false, true])
    func `an operation that never starts is released with its future, or by its token`(hasToken: Bool) async {
        weak var released: Operation?
        var done: Future<Void>?
        do {
            let operation = BlockOperation {}
            released = operation
            done = operation.finished(cancelToken: hasToken ? token : .none)
        }
        #expect(released != nil && done?.completed == false)
        done = nil
        if hasToken { token.cancel() }
        await until { released == nil }
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

    @Test func `a queue returns the result, or the error of reading it`() async throws {
        #expect(try await queue.run(Doubling(21)) { $0.result }.value == 42)
        #expect(await queue.run(Doubling(1)) { _ -> Int in throw Failure() }.outcome.error is Failure)
    }

    @Test(arguments: [false, true])
    func `a canceled operation has no result, and a token cancels the future at once`(isByToken: Bool) async {
        let operation = Doubling(1)
        let result = suspended().run(operation, cancelToken: token) { [ran] _ in ran.value = true }
        if isByToken { token.cancel() } else { queue.cancelAllOperations() }
        #expect(operation.isCancelled && result.isCancelled == isByToken && !operation.isFinished)
        queue.isSuspended = false
        #expect(await result.outcome.error is CancellationError)
        await until { queue.operationCount == 0 }
        #expect(!ran.value && operation.result == 0 && token.registrationCount == 0)
    }

    @Test func `a token that is canceled before the result is read cancels the future`() async {
        let result = Box<Future<Void>?>(nil)
        await onThread { [token, ran] in
            // The result of an operation that has already finished is read when the callback returns.
            inCallback {
                let queue = WaitingQueue(token)
                result.value = queue.run(BlockOperation {}, cancelToken: token) { _ in ran.value = true }
                token.cancel()
            }
        }
        #expect(result.value?.isCancelled == true && !ran.value)
    }

    @Test func `a token that was canceled before cancels the operation, in a queue or not`() async {
        token.cancel()
        let operations = (0..<2).map { _ in BlockOperation { [ran] in ran.value = true } }
        #expect(operations[0].finished(cancelToken: token).isCancelled && operations[0].isCancelled)
        #expect(queue.run(operations[1], cancelToken: token) { _ in 1 }.isCancelled)
        await until { operations[1].isFinished }
        #expect(operations[1].isCancelled && !ran.value)
    }

    @Test func `with wait and a token that was canceled before the future waits for a running operation`() async {
        let gate = Gate()
        let operation = BlockOperation { gate.pass() }
        queue.addOperation(operation)
        await until { operation.isExecuting }
        token.cancel()
        let done = operation.finished(cancelToken: token, onCancel: .wait)
        #expect(operation.isCancelled && !done.completed)
        gate.open()
        #expect(await done.outcome.error is CancellationError)
        #expect(operation.isFinished)
    }

    @Test func `thousands of operations in a queue take time proportional to their number`() async {
        await onThread { OperationsInQueue().expectLinearCost(underStress: 4) }
    }
}

@Suite("An operation queue as a context", .watchdog)
struct OperationContextTests {
    private let queue = OperationQueue()
    private let heard = Box<[Int]>([])

    init() { queue.maxConcurrentOperationCount = 1 }

    @Test func `callbacks run on the queue, in order, and not while it is suspended`() async {
        queue.isSuspended = true
        let (promise, places) = (Promise<Void>(), Box<[Bool]>([]))
        for number in 0..<100 {
            promise.future.onSuccess(context: queue) { [queue, heard] in
                places.append(OperationQueue.current === queue)
                heard.append(number)
            }
        }
        promise.success()
        #expect(queue.operationCount > 0 && heard.value.isEmpty)
        queue.isSuspended = false
        await until { heard.value.count == 100 }
        #expect(heard.value == Array(0..<100))
        #expect(places.value.allSatisfy { $0 })
    }

    @Test func `canceled in the queue, callbacks do not run, and futures that depend on them are broken`() async {
        queue.isSuspended = true
        let mapped = Box<Future<Int>?>(nil)
        let captures = Watch { probe in
            mapped.value = Future(value: 1).map(context: queue) { [heard] number in
                probe.use()
                heard.append(number)
                return number
            }
        }
        let stream = FutureStream<Int>(capacity: 0)
        let events = stream.map(context: queue) { $0 }.heard()
        stream.success(1)
        queue.cancelAllOperations()
        queue.isSuspended = false
        #expect(await mapped.value?.end() == .broken)
        await until { events.all == [.broken, .finish] }
        await until { captures.isReleased }
        #expect(heard.value.isEmpty)
    }
}

private final class Doubling: Operation, @unchecked Sendable {
    // Sendable: the queue runs it once, and the result is read afterwards.
    private let number: Int
    private(set) var result = 0

    init(_ number: Int) { self.number = number }

    override func main() { result = 2 * number }
}

/// A queue that, when it adds an operation, waits until the operation has finished and a token has nothing to cancel.
private final class WaitingQueue: OperationQueue, @unchecked Sendable {
    // Sendable like its superclass; constant.
    private let token: CancelToken

    init(_ token: CancelToken) { self.token = token }

    override func addOperation(_ operation: Operation) {
        super.addOperation(operation)
        while token.registrationCount > 0 { usleep(1_000) }
    }
}

/// An operation that releases its future when it is asked, after its end, whether it was canceled.
private final class Releasing: Operation, @unchecked Sendable {
    // Sendable like its superclass; its own state is under a lock.
    let future = Box<Future<Void>?>(nil)

    override var isCancelled: Bool {
        if isFinished { future.value = nil }
        return super.isCancelled
    }
}

private struct OperationsInQueue: LinearWork {
    let size = 1_500
    let usesOtherThreads = true

    func run(_ count: Int) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        queue.isSuspended = true
        let futures = (0..<count).map { number in queue.run(BlockOperation {}) { _ in number } }
        queue.isSuspended = false
        _ = try? futures.sequence().wait(timeout: .seconds(600))
    }
}
