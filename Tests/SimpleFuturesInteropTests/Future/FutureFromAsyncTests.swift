import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Futures of asynchronous closures", .watchdog)
struct FutureFromAsyncTests {
    @Test func `a future gets its closure's result`() async {
        #expect(
            await Future {
                await Task.yield(); return 1
            }.outcome.value == 1)
        #expect(await Future { 2 }.outcome.value == 2)
        let failed: Future<Int> = Future {
            await Task.yield(); throw Failure()
        }
        #expect(await failed.outcome.error is Failure)
        let cancelled: Future<Int> = Future { throw CancellationError() }
        #expect(await cancelled.outcome.error is CancellationError)
        #expect(!cancelled.isCancelled)
    }

    @Test func `the task has the name, the priority and the task-local values of the call`() async {
        await Locals.$id.withValue(7) {
            let seen = Future(name: "loader", priority: .low) { () async -> (String?, TaskPriority, Int) in
                await Task.yield()
                return (Task.name, Task.basePriority ?? .medium, Locals.id)
            }
            let (name, priority, id) = await seen.outcome.value ?? (nil, .high, 0)
            #expect(name == "loader")
            #expect(priority == .low)
            #expect(id == 7)
        }
    }

    @Test @MainActor func `closures isolated to the main actor begin there, in the order of the calls`() async {
        var order: [Int] = []
        let futures = (0..<100).map { number in Future { order.append(number) } }
        _ = await futures.sequence().outcome
        #expect(order == Array(0..<100))
    }

    @Test func `closures isolated to an actor begin there, in the order of the calls`() async {
        let order = await Recorder().record()
        #expect(order == Array(0..<100))
    }

    @Test func `a main-actor function passed from outside the main actor runs there`() async {
        #expect(await Future(operation: onMain).outcome.value == 1)
    }

    @Test func `completeWith: the promise can be released, and the task is returned`() async {
        let gate = Future<Int>()
        var promise: Promise<Int>? = Promise()
        let future = promise!.future
        let task = promise!.completeWith { try await gate.value }
        promise = nil
        #expect(!future.completed)
        gate.success(3)
        #expect(await future.outcome.value == 3)
        await task.value
    }

    @Test func `completeWith: its task can be canceled, even before it begins`() async {
        let promise = Promise<Int>()
        let task = await MainActor.run {
            let task = promise.completeWith { @MainActor in 1 }
            task.cancel()
            return task
        }
        await task.value
        #expect(await promise.future.outcome.error is CancellationError)
        let running = Promise<Int>()
        let gate = Future<Int>()
        let work = running.completeWith { try await gate.value }
        await until { gate.observerCount == 1 }
        work.cancel()
        #expect(await running.future.outcome.error is CancellationError)
    }

    @Test func `completeWith: another completion can be first, and nothing is reported`() async {
        let promise = Promise<Int>()
        let gate = Future<Int>()
        let task = promise.completeWith { try await gate.value }
        promise.success(1)
        gate.success(2)
        await task.value
        #expect(promise.future.result?.value == 1)
        let late = Lock(0)
        await promise.completeWith { late.exchange(2) }.value
        #expect(late.withLock { $0 } == 2)
    }

    @Test func `dropping the future does not cancel the task, and captures are released after the closure has run`()
        async
    {
        let (ended, alive) = (Promise<Bool>(), Tally())
        _ = Future { [captive = Captive(alive)] in
            await Task.yield()
            ended.success(Task.isCancelled)
            captive.touch()
        }
        #expect(await ended.future.outcome.value == false)
        await until { alive.count == 0 }
    }

    @Test func `task.future: the task's own result, from one shared future`() async {
        let gate = Future<Int>()
        let task = Task { try await gate.value }
        let future = task.future
        #expect(future === task.future)
        gate.success(4)
        #expect(await future.outcome.value == 4)
        #expect(await task.future.outcome.value == 4)
        #expect(await Task { 5 }.future.outcome.value == 5)
        #expect(await Task { throw Failure() }.future.outcome.error is Failure)
        let cancelled = Task { try await Task.sleep(for: .seconds(1_000)) }
        cancelled.cancel()
        #expect(await cancelled.future.outcome.error is CancellationError)
    }

    @Test func `task.future: a token cancels the callbacks only, not the task`() async {
        let gate = Future<Int>()
        let task = Task { try await gate.value }
        let token = CancelToken()
        let derived = task.future.map(cancelToken: token) { $0 }
        token.cancel()
        #expect(derived.isCancelled)
        gate.success(1)
        #expect(await task.result.success == 1)
    }
}

extension Result {
    fileprivate var success: Success? { try? get() }
}

@MainActor private func onMain() async -> Int {
    MainActor.assertIsolated()
    return 1
}

private actor Recorder {
    var order: [Int] = []

    func record() async -> [Int] {
        let futures = (0..<100).map { number in
            Future {
                self.order.append(number)
                await Task.yield()
            }
        }
        _ = await futures.sequence().outcome
        preconditionIsolated()
        return order
    }
}
