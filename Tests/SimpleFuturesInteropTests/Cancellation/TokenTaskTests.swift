import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Tokens and tasks", .watchdog)
struct TokenTaskTests {
    // MARK: token.cancel(task)

    @Test func `token.cancel(task) cancels the task with the token`() async {
        let token = CancelToken()
        let gate = Future<Int>()
        let task = Task { try await gate.value }
        token.cancel(task)
        token.cancel()
        #expect(await Answer { try await task.value } == .cancellation)
    }

    @Test func `a token that is cancelled already cancels the task before the call returns, inside a callback too`()
        async
    {
        let token = CancelToken()
        token.cancel()
        let gate = Future<Int>()
        let tasks = [Task { try await gate.value }, Task { try await gate.value }]
        token.cancel(tasks[0])
        #expect(tasks[0].isCancelled)
        Future(value: 1).onSuccess(context: ImmediateContext()) { _ in
            token.cancel(tasks[1])
            #expect(tasks[1].isCancelled)
        }
        for task in tasks { _ = await task.result }
    }

    @Test func `the token forgets the task when it ends, or when it is taken away`() async {
        let token = CancelToken()
        let gate = Future<Int>()
        let task = Task { try await gate.value }
        let registration = token.cancel(task)
        token.cancel(task)
        #expect(token.registrationCount == 2)
        #expect(registration.cancel())
        #expect(!registration.cancel())
        #expect(token.registrationCount == 1)
        gate.success(1)
        _ = await task.result
        while token.registrationCount > 0 { try? await Task.sleep(for: .milliseconds(1)) }
        token.cancel()
        #expect(!task.isCancelled)
    }

    @Test func `many tokens on one long task leave nothing on it`() async {
        let gate = Future<Int>()
        let task = Task { try await gate.value }
        let end = task.future
        for number in 0..<1_000 * Stress.factor {
            let token = CancelToken()
            let registration = token.cancel(task)
            // The other half goes with its token.
            if number.isMultiple(of: 2) { registration.cancel() }
        }
        #expect(end.observerCount == 0)
        gate.success(1)
        #expect(await end.outcome.value == 1)
    }

    @Test func `none cancels no task`() async {
        let task = Task { 1 }
        #expect(!CancelToken.none.cancel(task).cancel())
        #expect(await task.value == 1)
    }

    // MARK: withCancelToken

    @Test @MainActor func `withCancelToken: token follows task, on the caller's actor, and not after the scope`()
        async throws
    {
        let kept = Box<CancelToken?>(nil)
        let task = Task { @MainActor in
            let values = await withCancelToken { token in
                MainActor.assertIsolated()
                kept.value = token
                return NotSendable(token.isCancelled ? 1 : 0)
            }
            MainActor.assertIsolated()
            return values.value
        }
        #expect(await task.value == 0)
        task.cancel()
        #expect(kept.value?.isCancelled == false)
        #expect(kept.value?.registrationCount == 0)
        let waiting = Task { @MainActor in
            await withCancelToken { token in
                await token.cancellation
                MainActor.assertIsolated()
                return token.isCancelled
            }
        }
        await Task.yield()
        waiting.cancel()
        #expect(await waiting.value)
    }

    @Test func `withCancelToken: what the closure throws keeps its type`() async {
        func fail() async throws(Failure) { try await withCancelToken { _ throws(Failure) in throw Failure() } }
        do { try await fail() } catch { #expect(error == Failure()) }
        let isCancelled = await withCancelToken { $0.isCancelled }
        #expect(!isCancelled)
    }

    @Test func `withCancelToken: handlers do not run inside the runtime's cancellation handler`() async {
        let lock = DispatchSemaphore(value: 1)
        let handled = AsyncGate()
        let isReady = AsyncGate()
        let task = Task {
            await withCancelToken { token in
                token.onCancel {
                    lock.wait()
                    lock.signal()
                    handled.open()
                }
                isReady.open()
                await token.cancellation
            }
        }
        await isReady.pass()
        holding(lock) { task.cancel() }
        await handled.pass()
        await task.value
    }

    // MARK: token.run

    @Test func `run: the closure's own answer, on the caller's actor, with his task-local values`() async throws {
        let token = CancelToken()
        #expect(
            try await token.run {
                await Task.yield(); return 3
            } == 3)
        await #expect(throws: Failure.self) { try await token.run { throw Failure() } }
        let seen = try await Locals.$id.withValue(4) { try await token.run { Locals.id } }
        #expect(seen == 4)
        #expect(try await onMain(token))
        // It forgets a task when another one of low priority gets round to it.
        await until { token.registrationCount == 0 }
    }

    @MainActor private func onMain(_ token: CancelToken) async throws -> Bool {
        try await token.run {
            MainActor.assertIsolated()
            return true
        }
    }

    @Test func `run: a closure that does not mind cancellation gives its value`() async throws {
        let token = CancelToken()
        let gate = Future<Int>()
        let task = Task {
            try await token.run {
                await Task { await gate.outcome.value ?? 0 }.value + (Task.isCancelled ? 100 : 0)
            }
        }
        await until { gate.observerCount == 1 }
        token.cancel()
        gate.success(1)
        #expect(try await task.value == 101)
    }

    @Test func `run: under a cancelled token, or in a cancelled task, the closure does not run`() async {
        let cancelled = CancelToken()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.run { Issue.record("runs") } }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await CancelToken().run { _ = Issue.record("runs") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // MARK: token.cancellation

    @Test func `cancellation: ends with the token or the task, and leaves nothing registered`() async {
        let token = CancelToken()
        let byToken = Task { await token.cancellation }
        let byTask = Task { await token.cancellation }
        await until { token.registrationCount == 2 }
        byTask.cancel()
        await byTask.value
        #expect(token.registrationCount == 1)
        #expect(!token.isCancelled)
        token.cancel()
        await byToken.value
        await token.cancellation
        #expect(token.registrationCount == 0)
        let none = Task { await CancelToken.none.cancellation }
        none.cancel()
        await none.value
    }

    @Test func `a cycle of tokens and tasks that cancel each other ends`() async {
        let token = CancelToken()
        let isReady = AsyncGate()
        let task = Task {
            await withCancelToken { inner in
                inner.onCancel { token.cancel() }
                token.onCancel { inner.cancel() }
                isReady.open()
                await inner.cancellation
            }
        }
        token.cancel(task)
        await isReady.pass()
        task.cancel()
        await task.value
        await token.cancellation
        #expect(task.isCancelled)
    }
}

private struct NotSendable {
    var value: Int
    init(_ value: Int) { self.value = value }
}

@available(*, unavailable)
extension NotSendable: Sendable {}

private func holding(_ lock: DispatchSemaphore, _ body: () -> Void) {
    lock.wait()
    body()
    lock.signal()
}
