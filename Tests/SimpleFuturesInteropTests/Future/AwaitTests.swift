import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Awaiting a future, in every state of the future and of the task", .watchdog)
struct AwaitTests {
    @Test(arguments: Source.Ending.allCases, Way.allCases)
    func `awaiting a future that has ended returns its result, even if canceled`(_ ending: Source.Ending, _ way: Way)
        async
    {
        let source = Source()
        source.end(ending)
        #expect(await way.answer(source.future) == ending.answer)
        #expect(await inCancelledTask { await way.answer(source.future) } == ending.answer)
        #expect(source.future.observerCount == 0)
    }

    /// When the waiting task is canceled.
    enum Moment: CaseIterable, Sendable { case never, before, during }

    @Test(arguments: Moment.allCases.flatMap { moment in Source.Ending.allCases.map { (moment, $0) } }, Way.allCases)
    func `an await ends with the future or, if it abandons, with the task; the future and others continue`(
        _ end: (moment: Moment, ending: Source.Ending), _ way: Way
    ) async {
        let (moment, ending) = end
        let (source, token, stopped) = (Source(), CancelToken(), AsyncGate())
        token.onCancel { stopped.open() }
        let others = (0..<3).map { _ in Task { await way.answer(source.future) } }
        await until { source.future.observerCount == 3 }
        let task = Task {
            if moment == .before { withUnsafeCurrentTask { $0?.cancel() } }
            return await way.answer(source.future, cancelling: token)
        }
        if moment != .before || way.waits { await until { source.future.observerCount == 4 } }
        if moment == .during { task.cancel() }
        let abandons = moment != .never && !way.waits
        if abandons { #expect(await task.value == .cancelled) }
        let cancelsToken = moment != .never && Way.allWithToken.contains(way)
        if cancelsToken { await stopped.pass() }
        #expect(token.isCancelled == cancelsToken)
        #expect(source.future.observerCount == (abandons ? 3 : 4))
        #expect(!source.future.completed && !source.future.isCancelled)

        source.end(ending)
        #expect(await task.value == (abandons ? .cancelled : ending.answer))
        for other in others { #expect(await other.value == ending.answer) }
        #expect(source.future.observerCount == 0)
        task.cancel()
        #expect(token.isCancelled == cancelsToken)
        // The test's own.
        #expect(token.registrationCount == (cancelsToken ? 0 : 1))
    }

    @Test func `a result that is there is returned, if the task is canceled before its waiter is told`() async {
        let (promise, token, waiter) = (Promise<Int>(), CancelToken(), Lock<Task<Int, any Error>?>(nil))
        // Between the result and the waiter the timer is freed, which runs code of the user's.
        let context = Watched { waiter.withLock { $0 }?.cancel() }
        let future = promise.future.timeout(.seconds(60), context: context)
        future.onComplete(context: immediate) { _ in }
        let task = Task { try await future.value(cancelling: token, onCancel: .abandon) }
        waiter.exchange(task)
        await until { future.observerCount == 2 }
        promise.success(1)
        #expect(await Answer { try await task.value } == .success(1))
        #expect(!token.isCancelled)
        waiter.exchange(nil)
    }

    @Test(arguments: [Way.valueAbandoning, .outcomeAbandoning])
    func `abandon: the producer's response to the token is ignored`(_ way: Way) async {
        for _ in 0..<Stress.rounds(200) {
            let (source, stop) = (Source(), CancelToken())
            stop.onCancel { source.end(.failure) }
            let task = Task { await way.answer(source.future, cancelling: stop) }
            await until { source.future.observerCount == 1 }
            task.cancel()
            #expect(await task.value == .cancelled)
        }
    }

    @Test(arguments: Way.allWithToken, [true, false])
    func `a wait that cancels the future's own token gets CancellationError`(_ way: Way, _ byHand: Bool) async {
        let source = Source()
        let task = Task { await way.answer(source.future, cancelling: source.token) }
        await until { source.future.observerCount == 1 }
        if byHand { source.token.cancel() } else { task.cancel() }
        #expect(await task.value == .cancelled)
        await until { source.future.isCancelled }
        #expect(source.future.observerCount == 0)
    }

    @Test(arguments: Way.allWithToken) func `CancelToken.none is never canceled`(_ way: Way) async {
        let source = Source()
        let task = Task { await way.answer(source.future, cancelling: .none) }
        await until { source.future.observerCount == 1 }
        task.cancel()
        if !way.waits { #expect(await task.value == .cancelled) }
        #expect(!CancelToken.none.isCancelled)
        source.end(.success)
        #expect(await task.value == (way.waits ? .success(1) : .cancelled))
    }

    @Test(arguments: Way.allWithToken)
    func `handlers can take a lock that the canceling code holds`(_ way: Way) async {
        let lock = DispatchSemaphore(value: 1)
        let (source, stop, handled) = (Source(), CancelToken(), AsyncGate())
        let task = Task { await way.answer(source.future, cancelling: stop) }
        stop.onCancel {
            holding(lock) {}
            // Again, because the first call may hold the runtime's lock of the task.
            task.cancel()
            handled.open()
        }
        await until { source.future.observerCount == 1 }
        holding(lock) { task.cancel() }
        await handled.pass()
        source.end(.success)
        // If the task abandons the future but resumes only now, the future is complete.
        let answer = await task.value
        #expect(answer == .success(1) || !way.waits && answer == .cancelled)
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
            guard answer != .cancelled else { continue }
            Issue.record("\(answer)")
            break
        }
    }

    @Test(arguments: Source.Ending.allCases, Way.allCases)
    func `if cancellation and the end race, the result is one of the two`(_ ending: Source.Ending, _ way: Way) async {
        for round in 0..<Stress.rounds(100) {
            let source = Source()
            let task = Task { await way.answer(source.future) }
            if round.isMultiple(of: 2) { await until { source.future.observerCount == 1 } }
            let canceller = Task.detached { task.cancel() }
            source.end(ending)
            let answer = await task.value
            await canceller.value
            if answer != ending.answer, way.waits || answer != .cancelled { Issue.record("\(answer)") }
            if source.future.observerCount != 0 { Issue.record("a registration is left") }
        }
    }

    @Test(arguments: [true, false])
    func `very many waiters on one future all get its value, or their cancellation`(_ cancels: Bool) async {
        let (source, count) = (Source(), Stress.size(4_000, full: 100_000))
        let waiting = Task {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<count {
                    group.addTask { await Way.value.answer(source.future) == (cancels ? .cancelled : .success(1)) }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        await until { source.future.observerCount == count }
        if cancels { waiting.cancel() } else { source.end(.success) }
        #expect(await waiting.value == count)
        #expect(source.future.observerCount == 0)
        #expect(source.future.completed != cancels && !source.future.isCancelled)
    }
}

@Suite("Awaiting from an actor", .watchdog)
struct AwaitIsolationTests {
    @Test @MainActor func `awaiting a future that has ended does not suspend`() async throws {
        let token = CancelToken()
        token.cancel()
        let (completed, cancelled) = (Future(value: 1), Future(value: 1).map(cancelToken: token) { $0 })
        try await expectNoSuspension {
            for _ in 0..<1_000 {
                _ = try await completed.value
                _ = await completed.outcome
                _ = try await completed.value(cancelling: CancelToken())
                _ = try await completed.value(cancelling: CancelToken(), onCancel: .abandon)
                _ = try? await cancelled.value
            }
        }
    }

    @Test(
        arguments: [
            (nil, ["value"]), (nil, ["cancellation"]), (.wait, ["value"]), (.wait, ["value", "cancellation"]),
            (.wait, ["cancellation", "value"]), (.abandon, ["value"]), (.abandon, ["value", "cancellation"]),
            (.abandon, ["cancellation", "value"]),
        ] as [(TaskCancellationResponse?, [String])], [false, true])
    @MainActor func `an await registers before its actor does anything else, and returns on it with the first event`(
        _ row: (response: TaskCancellationResponse?, events: [String]), hasTask: Bool
    ) async {
        let (response, events) = row
        let (promise, token, gate) = (Promise<Int>(), CancelToken(), Promise<Int>())
        if hasTask { promise.completeWith { try await gate.future.value } }
        let waiter = Task { @MainActor in
            defer { MainActor.assertIsolated() }
            guard let response else { return try await promise.future.value }
            return try await promise.future.value(cancelling: token, onCancel: response)
        }
        // After the waiter in the actor's queue. The waiter cannot continue before this is over.
        let count = await Task { @MainActor in
            defer { for event in events { if event == "value" { promise.success(1) } else { waiter.cancel() } } }
            return promise.future.observerCount
        }.value
        #expect(count == 1)
        let isCanceled = events[0] == "cancellation" && response != .wait
        #expect(await Answer { try await waiter.value } == (isCanceled ? .cancelled : .success(1)))
        #expect(token.isCancelled == (response != nil && events[0] == "cancellation"))
        #expect(promise.future.observerCount == 0)
        gate.success(1)
    }
}
