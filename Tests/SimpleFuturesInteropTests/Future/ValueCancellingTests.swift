import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Future.value(cancelling:onCancel:)", .watchdog)
struct ValueCancellingTests {
    @Test(arguments: Ending.allCases, Response.allCases)
    func `the end of the future answers and leaves the token alone`(_ ending: Ending, _ response: Response) async {
        for isBefore in [true, false] {
            let source = Source()
            let token = CancelToken()
            if isBefore { source.end(ending) }
            let task = Task {
                await Answer { try await source.future.value(cancelling: token, onCancel: response.actual) }
            }
            if !isBefore {
                await until { source.future.observerCount == 1 }
                source.end(ending)
            }
            #expect(await task.value == ending.answer)
            #expect(!token.isCancelled)
            #expect(token.registrationCount == 0)
            #expect(source.future.observerCount == 0)
            task.cancel()
            #expect(!token.isCancelled)
        }
    }

    @Test(arguments: [true, false])
    func `wait: the token is cancelled, and the producer's own answer awaited`(_ isBefore: Bool) async {
        let source = Source()
        let stop = CancelToken()
        let stopped = AsyncGate()
        stop.onCancel { stopped.open() }
        let task = Task {
            if isBefore { withUnsafeCurrentTask { $0?.cancel() } }
            return await Answer { try await source.future.value(cancelling: stop) }
        }
        await until { source.future.observerCount == 1 }
        if !isBefore { task.cancel() }
        await stopped.pass()
        #expect(stop.isCancelled)
        #expect(source.future.observerCount == 1)
        source.end(.failed)
        #expect(await task.value == .failure)
    }

    @Test(arguments: Ending.allCases, Response.allCases)
    func `outcome(cancelling:) is the same without throwing`(_ ending: Ending, _ response: Response) async {
        for isCancelled in [false, true] {
            let source = Source()
            let stop = CancelToken()
            let stopped = AsyncGate()
            stop.onCancel { stopped.open() }
            let task = Task {
                let outcome = await source.future.outcome(cancelling: stop, onCancel: response.actual)
                return await Answer { try outcome.get() }
            }
            await until { source.future.observerCount == 1 }
            if isCancelled {
                task.cancel()
                await stopped.pass()
            }
            source.end(ending)
            let isAbandoned = isCancelled && response == .abandon
            #expect(await task.value == (isAbandoned ? .cancellation : ending.answer))
            #expect(stop.isCancelled == isCancelled)
        }
    }

    @Test(arguments: [true, false])
    func `abandon: the token is cancelled, and the answer is at once CancellationError`(_ isBefore: Bool) async {
        let source = Source()
        let stop = CancelToken()
        let stopped = AsyncGate()
        stop.onCancel { stopped.open() }
        let task = Task {
            if isBefore { withUnsafeCurrentTask { $0?.cancel() } }
            return await Answer { try await source.future.value(cancelling: stop, onCancel: .abandon) }
        }
        if !isBefore {
            await until { source.future.observerCount == 1 }
            task.cancel()
        }
        #expect(await task.value == .cancellation)
        #expect(stop.isCancelled)
        await stopped.pass()
        #expect(source.future.observerCount == 0)
        #expect(!source.future.completed && !source.future.isCancelled)
    }

    @Test func `abandon: the producer's answer to the token does not come in between`() async {
        for _ in 0..<Stress.rounds(200) {
            let source = Source()
            let stop = CancelToken()
            stop.onCancel { source.end(.failed) }
            let task = Task {
                await Answer { try await source.future.value(cancelling: stop, onCancel: .abandon) }
            }
            await until { source.future.observerCount == 1 }
            task.cancel()
            #expect(await task.value == .cancellation)
        }
    }

    @Test(arguments: Response.allCases)
    func `the future's own token: what is detached answers with CancellationError`(_ response: Response) async {
        for byHand in [true, false] {
            let source = Source()
            let task = Task {
                await Answer { try await source.future.value(cancelling: source.token, onCancel: response.actual) }
            }
            await until { source.future.observerCount == 1 }
            if byHand { source.token.cancel() } else { task.cancel() }
            #expect(await task.value == .cancellation)
            await until { source.future.isCancelled }
            #expect(source.future.observerCount == 0)
        }
    }

    @Test func `the token none is never cancelled`() async {
        let source = Source()
        let waiting = Task { await Answer { try await source.future.value(cancelling: .none) } }
        let abandoning = Task {
            await Answer { try await source.future.value(cancelling: .none, onCancel: .abandon) }
        }
        await until { source.future.observerCount == 2 }
        waiting.cancel()
        abandoning.cancel()
        #expect(await abandoning.value == .cancellation)
        #expect(!CancelToken.none.isCancelled)
        source.end(.completed)
        #expect(await waiting.value == .value(1))
    }

    @Test(arguments: Response.allCases)
    func `handlers may take a lock that the cancelling code holds`(_ response: Response) async {
        let lock = DispatchSemaphore(value: 1)
        let source = Source()
        let stop = CancelToken()
        let task = Task { await Answer { try await source.future.value(cancelling: stop, onCancel: response.actual) } }
        let handled = AsyncGate()
        stop.onCancel {
            lock.wait()
            lock.signal()
            // Again: the runtime's lock of the task is not ours.
            task.cancel()
            handled.open()
        }
        await until { source.future.observerCount == 1 }
        holding(lock) { task.cancel() }
        await handled.pass()
        source.end(.completed)
        // If it abandons the future but gets round to it only now, the future is complete.
        let answer = await task.value
        #expect(answer == .value(1) || response == .abandon && answer == .cancellation)
    }

    @Test(arguments: Response.allCases)
    func `when task.cancel returns, nothing runs any more that is under the token`(_ response: Response) async {
        for _ in 0..<Stress.rounds(200) {
            let promise = Promise<Int>()
            let token = CancelToken()
            let derived = promise.future.map(context: ImmediateContext(), cancelToken: token) { $0 }
            let task = Task {
                await Answer { try await derived.value(cancelling: token, onCancel: response.actual) }
            }
            await until { derived.observerCount == 1 }
            task.cancel()
            promise.success(1)
            let answer = await task.value
            guard answer != .cancellation else { continue }
            Issue.record("\(answer)")
            break
        }
    }

    @Test(arguments: Ending.allCases, Response.allCases)
    func `cancellation that races with the end gives one of the two`(_ ending: Ending, _ response: Response) async {
        for round in 0..<Stress.rounds(100) {
            let source = Source()
            let stop = CancelToken()
            let task = Task {
                await Answer { try await source.future.value(cancelling: stop, onCancel: response.actual) }
            }
            if round.isMultiple(of: 2) { await until { source.future.observerCount == 1 } }
            let canceller = Task.detached { task.cancel() }
            source.end(ending)
            let answer = await task.value
            await canceller.value
            let isRight = answer == ending.answer || response == .abandon && answer == .cancellation
            if !isRight { Issue.record("\(answer)") }
            if source.future.observerCount != 0 { Issue.record("a registration is left") }
        }
    }
}

enum Response: String, CaseIterable, Sendable {
    case wait, abandon

    var actual: TaskCancellationResponse { self == .wait ? .wait : .abandon }
}

/// Opened once, by a callback; passed by a task.
struct AsyncGate: Sendable {
    private let promise = Promise<Void>()

    func open() { promise.trySuccess() }

    func pass() async { _ = await promise.future.outcome }
}

private func holding(_ lock: DispatchSemaphore, _ body: () -> Void) {
    lock.wait()
    body()
    lock.signal()
}
