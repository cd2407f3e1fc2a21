import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Awaiting a future, in every state of the future and of the task", .watchdog)
struct AwaitTests {
    @Test(arguments: Ending.allCases, Way.allCases)
    func `an await of a future that has ended returns its result, even in a canceled task`(_ ending: Ending, _ way: Way)
        async
    {
        let source = Source()
        source.end(ending)
        #expect(await way.answer(source.future) == ending.answer)
        #expect(await inCancelledTask { await way.answer(source.future) } == ending.answer)
        #expect(source.future.observerCount == 0)
    }

    @Test(arguments: Ending.allCases, Way.allCases)
    func `an await of a pending future returns when it ends, and does not cancel the token`(
        _ ending: Ending, _ way: Way
    ) async {
        let (source, token) = (Source(), CancelToken())
        let task = Task { await way.answer(source.future, cancelling: token) }
        await until { source.future.observerCount == 1 }
        source.end(ending)
        #expect(await task.value == ending.answer)
        #expect(source.future.observerCount == 0)
        #expect(token.registrationCount == 0)
        task.cancel()
        #expect(!token.isCancelled)
    }

    @Test(arguments: Way.allThatAbandon)
    func `a canceled task does not wait`(_ way: Way) async {
        let (source, token, stopped) = (Source(), CancelToken(), AsyncGate())
        token.onCancel { stopped.open() }
        #expect(await inCancelledTask { await way.answer(source.future, cancelling: token) } == .cancellation)
        #expect(source.future.observerCount == 0)
        #expect(!source.future.completed && !source.future.isCancelled)
        guard Way.allWithToken.contains(way) else { return }
        #expect(token.isCancelled)
        await stopped.pass()
    }

    @Test(arguments: Ending.allCases, Way.allThatAbandon)
    func `canceling a waiting task does not affect the future or other waiters`(
        _ ending: Ending, _ way: Way
    ) async {
        let (source, token) = (Source(), CancelToken())
        let others = (0..<3).map { _ in Task { await way.answer(source.future) } }
        await until { source.future.observerCount == 3 }
        let task = Task { await way.answer(source.future, cancelling: token) }
        await until { source.future.observerCount == 4 }
        task.cancel()
        #expect(await task.value == .cancellation)
        #expect(token.isCancelled == Way.allWithToken.contains(way))
        #expect(source.future.observerCount == 3)
        source.end(ending)
        for other in others { #expect(await other.value == ending.answer) }
    }

    @Test(arguments: Ending.allCases, [true, false])
    func `wait: the token is canceled, then the producer's own result is awaited`(
        _ ending: Ending, _ isBefore: Bool
    ) async {
        for way in [Way.valueWaiting, .outcomeWaiting] {
            let (source, token, stopped) = (Source(), CancelToken(), AsyncGate())
            token.onCancel { stopped.open() }
            let task = Task {
                if isBefore { withUnsafeCurrentTask { $0?.cancel() } }
                return await way.answer(source.future, cancelling: token)
            }
            await until { source.future.observerCount == 1 }
            if !isBefore { task.cancel() }
            await stopped.pass()
            #expect(token.isCancelled)
            #expect(source.future.observerCount == 1)
            source.end(ending)
            #expect(await task.value == ending.answer)
        }
    }

    @Test(arguments: [Way.valueAbandoning, .outcomeAbandoning])
    func `abandon: the producer's response to the token is ignored`(_ way: Way) async {
        for _ in 0..<Stress.rounds(200) {
            let (source, stop) = (Source(), CancelToken())
            stop.onCancel { source.end(.failed) }
            let task = Task { await way.answer(source.future, cancelling: stop) }
            await until { source.future.observerCount == 1 }
            task.cancel()
            #expect(await task.value == .cancellation)
        }
    }

    @Test(arguments: Way.allWithToken, [true, false])
    func `a wait that cancels the future's own token gets CancellationError`(_ way: Way, _ byHand: Bool) async {
        let source = Source()
        let task = Task { await way.answer(source.future, cancelling: source.token) }
        await until { source.future.observerCount == 1 }
        if byHand { source.token.cancel() } else { task.cancel() }
        #expect(await task.value == .cancellation)
        await until { source.future.isCancelled }
        #expect(source.future.observerCount == 0)
    }

    @Test(arguments: Way.allWithToken) func `CancelToken.none is never canceled`(_ way: Way) async {
        let source = Source()
        let task = Task { await way.answer(source.future, cancelling: .none) }
        await until { source.future.observerCount == 1 }
        task.cancel()
        if !way.waits { #expect(await task.value == .cancellation) }
        #expect(!CancelToken.none.isCancelled)
        source.end(.completed)
        #expect(await task.value == (way.waits ? .value(1) : .cancellation))
    }

    @Test(arguments: Way.allWithToken)
    func `handlers can take a lock that the canceling code holds`(_ way: Way) async {
        let lock = DispatchSemaphore(value: 1)
        let (source, stop, handled) = (Source(), CancelToken(), AsyncGate())
        let task = Task { await way.answer(source.future, cancelling: stop) }
        stop.onCancel {
            lock.wait()
            lock.signal()
            // Again, because the first call may hold the runtime's lock of the task.
            task.cancel()
            handled.open()
        }
        await until { source.future.observerCount == 1 }
        holding(lock) { task.cancel() }
        await handled.pass()
        source.end(.completed)
        // If the task abandons the future but resumes only now, the future is complete.
        let answer = await task.value
        #expect(answer == .value(1) || !way.waits && answer == .cancellation)
    }

    @Test(arguments: Way.allWithToken)
    func `once task.cancel has returned, no callback registered with the token runs any more`(_ way: Way) async {
        for _ in 0..<Stress.rounds(200) {
            let (promise, token) = (Promise<Int>(), CancelToken())
            let derived = promise.future.map(context: immediate, cancelToken: token) { $0 }
            let task = Task { await way.answer(derived, cancelling: token) }
            await until { derived.observerCount == 1 }
            task.cancel()
            promise.success(1)
            let answer = await task.value
            guard answer != .cancellation else { continue }
            Issue.record("\(answer)")
            break
        }
    }

    @Test(arguments: Ending.allCases, Way.allCases)
    func `if cancellation and the end race, the result is one of the two`(_ ending: Ending, _ way: Way) async {
        for round in 0..<Stress.rounds(100) {
            let source = Source()
            let task = Task { await way.answer(source.future) }
            if round.isMultiple(of: 2) { await until { source.future.observerCount == 1 } }
            let canceller = Task.detached { task.cancel() }
            source.end(ending)
            let answer = await task.value
            await canceller.value
            if answer != ending.answer, way.waits || answer != .cancellation { Issue.record("\(answer)") }
            if source.future.observerCount != 0 { Issue.record("a registration is left") }
        }
    }

    // MARK: Many waiters

    @Test(arguments: [true, false])
    func `a hundred thousand waiters on one future all get its value, or their cancellation`(_ cancels: Bool) async {
        let (source, count) = (Source(), 100_000)
        let waiting = Task {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<count {
                    group.addTask { await Way.value.answer(source.future) == (cancels ? .cancellation : .value(1)) }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        await until { source.future.observerCount == count }
        if cancels { waiting.cancel() } else { source.end(.completed) }
        #expect(await waiting.value == count)
        #expect(source.future.observerCount == 0)
        #expect(source.future.completed != cancels && !source.future.isCancelled)
    }

    @Test func `half of many waiters are canceled while the future completes`() async {
        let source = Source()
        let tasks = (0..<2_000).map { _ in Task { await Way.value.answer(source.future) } }
        await until { source.future.observerCount == tasks.count }
        let canceller = Task.detached { for index in stride(from: 0, to: tasks.count, by: 2) { tasks[index].cancel() } }
        source.end(.completed)
        await canceller.value
        for (index, task) in tasks.enumerated() {
            let answer = await task.value
            if answer != .value(1), answer != .cancellation || !index.isMultiple(of: 2) { Issue.record("\(answer)") }
        }
        #expect(source.future.observerCount == 0)
    }
}
