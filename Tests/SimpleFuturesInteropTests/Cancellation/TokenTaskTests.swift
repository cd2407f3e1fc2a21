import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Tokens and tasks", .watchdog)
struct TokenTaskTests {
    @Test func `a token cancels its task, at once if it was canceled before, even inside a callback`() async {
        let (token, gate) = (CancelToken(), Future<Int>())
        let tasks = (0..<4).map { _ in Task { try await gate.value } }
        token.link(tasks[0])
        token.cancel()
        token.link(tasks[1])
        #expect(tasks[1].isCancelled)
        Future(value: 1).onSuccess(context: immediate) { _ in
            token.link(tasks[2])
            #expect(tasks[2].isCancelled)
            // Canceled in the callback. Its handlers run only after the callback has returned.
            let inner = CancelToken()
            inner.cancel()
            inner.link(tasks[3])
            #expect(tasks[3].isCancelled)
        }
        for task in tasks { #expect(await Answer { try await task.value } == .cancelled) }
    }

    @Test func `a canceled task starts no shared work`() async {
        let byKey = SharedWork<Int, Int>(gracePeriod: .seconds(60)) { _, _ in Future(error: Oops.thrown) }
        let single = SharedWork<WithoutKey, Int>(gracePeriod: .seconds(60)) { _, _ in Future(error: Oops.thrown) }
        await inCancelledTask {
            #expect(await Answer { try await byKey.value(for: 1) } == .cancelled)
            #expect(await Answer { try await single.value() } == .cancelled)
        }
        #expect(byKey.count == 0 && single.count == 0)
    }

    @Test func `a token releases a task that ends or whose registration is canceled`() async {
        let (token, gate) = (CancelToken(), Future<Int>())
        let task = Task { try await gate.value }
        let registration = token.link(task)
        token.link(task)
        #expect(!CancelToken.none.link(task).cancel())
        #expect(token.registrationCount == 2)
        #expect(registration.cancel() && !registration.cancel())
        #expect(token.registrationCount == 1)
        gate.success(1)
        _ = await task.result
        await until { token.registrationCount == 0 }
        token.cancel()
        #expect(!task.isCancelled)
    }

    @Test func `a cycle of tokens and tasks that cancel each other ends`() async {
        let (token, isReady) = (CancelToken(), AsyncGate())
        let task = Task {
            await withCancelToken { inner in
                inner.onCancel { token.cancel() }
                token.onCancel { inner.cancel() }
                isReady.open()
                await inner.cancellation
            }
        }
        token.link(task)
        await isReady.pass()
        task.cancel()
        await task.value
        await token.cancellation
        #expect(task.isCancelled)
    }

    @Test(arguments: [true, false]) @MainActor
    func `withCancelToken: the token follows the task, on the caller's actor`(_ isBefore: Bool) async {
        let (begun, cancelled) = (AsyncGate(), AsyncGate())
        let task = Task { @MainActor in
            if isBefore { withUnsafeCurrentTask { $0?.cancel() } }
            let result = await withCancelToken { token in
                MainActor.assertIsolated()
                token.onCancel { cancelled.open() }
                begun.open()
                await token.cancellation
                MainActor.assertIsolated()
                return NotSendable(token.isCancelled)
            }
            MainActor.assertIsolated()
            return result.value
        }
        await begun.pass()
        if !isBefore { task.cancel() }
        #expect(await task.value)
        await cancelled.pass()
    }

    @Test(arguments: [true, false])
    func `withCancelToken: at its end the token leaves the task, and an error keeps its type`(_ fails: Bool) async {
        let task = Task {
            let kept = Box<CancelToken?>(nil)
            do throws(Failure) {
                try await withCancelToken { token throws(Failure) in
                    kept.value = token
                    #expect(!token.isCancelled)
                    if fails { throw Failure() }
                }
            } catch {
                #expect(fails && error == Failure())
            }
            withUnsafeCurrentTask { $0?.cancel() }
            return kept.value
        }
        let token = await task.value
        #expect(token?.isCancelled == false && token?.registrationCount == 0)
        token?.cancel()
        #expect(token?.isCancelled == true)
    }

    @Test @MainActor func `withCancelToken: entering and returning do not leave the actor`() async throws {
        var count = 0
        try await expectNoSuspension {
            for _ in 0..<1_000 {
                await withCancelToken { _ in
                    MainActor.assertIsolated()
                    count += 1
                }
            }
        }
        #expect(count == 1_000)
    }

    @Test func `withCancelToken: handlers do not run inside the runtime's cancellation handler`() async {
        let (lock, handled, isReady) = (DispatchSemaphore(value: 1), AsyncGate(), AsyncGate())
        let task = Task {
            await withCancelToken { token in
                token.onCancel {
                    holding(lock) {}
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

    @Test @MainActor func `run: the closure's result, on the caller's actor, with task-local values`() async throws {
        let token = CancelToken()
        let value = try await Locals.$id.withValue(4) {
            try await token.run {
                await Task.yield()
                MainActor.assertIsolated()
                return Locals.id
            }
        }
        #expect(value == 4)
        await #expect(throws: Failure.self) { try await token.run { throw Failure() } }
        // The token releases a task when another task of low priority has run.
        await until { token.registrationCount == 0 }
    }

    @Test(arguments: [true, false], [true, false])
    func `run: the token or the task cancels the closure, whose result counts`(_ byToken: Bool, _ fails: Bool) async {
        let token = CancelToken()
        for way in byToken ? [token] : [token, .none] {
            let begun = AsyncGate()
            let task = Task {
                await Answer {
                    try await way.run {
                        begun.open()
                        await until { Task.isCancelled }
                        if fails { throw Failure() }
                        return 1
                    }
                }
            }
            await begun.pass()
            if byToken { token.cancel() } else { task.cancel() }
            #expect(await task.value == (fails ? .failure(Failure()) : .success(1)))
            #expect(token.isCancelled == byToken)
            await until { token.registrationCount == 0 }
        }
    }

    @Test func `run: in a canceled task the closure does not run, even if its actor would begin at once`() async {
        let calls = Box(0)
        let answer = await inCancelledTask {
            await Answer {
                try await CancelToken().run { @Eager in
                    calls.increment()
                    return 1
                }
            }
        }
        #expect(answer == .cancelled && calls.value == 0)
    }

    @Test func `cancellation: returns when the token or the task is canceled, and leaves nothing registered`() async {
        let token = CancelToken()
        let byToken = Task { await token.cancellation }
        let byTask = Task { await token.cancellation }
        await until { token.registrationCount == 2 }
        byTask.cancel()
        await byTask.value
        #expect(token.registrationCount == 1 && !token.isCancelled)
        token.cancel()
        await byToken.value
        await token.cancellation
        #expect(token.registrationCount == 0)
        let none = Task { await CancelToken.none.cancellation }
        none.cancel()
        await none.value
    }
}

private struct NotSendable {
    var value: Bool
    init(_ value: Bool) { self.value = value }
}

@available(*, unavailable)
extension NotSendable: Sendable {}

/// An actor that begins a job on the thread that adds it.
@globalActor
private actor Eager {
    private final class Executor: SerialExecutor {
        func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    static let shared = Eager()
    private nonisolated let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}
