import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("future(cancelToken:method:): one handle, one result", .watchdog)
struct CancellableMethodTests {
    @Test func `every shape gets its value`() async throws {
        let token = CancelToken()
        let action = CancelAction { Issue.record("cancelled") }
        let optional = future(cancelToken: token) { (block: @Sendable (Int?, (any Error)?) -> Void) in
            block(1, nil); return action
        }
        #expect(try await optional.value == 1)
        let missing = future(cancelToken: token) { (block: @Sendable (Int?, (any Error)?) -> Void) in
            block(nil, nil)
            return action
        }
        #expect(await missing.outcome.error as? FuturesError == .invalidCompletion)
        let kept: Future<Int?> = future(cancelToken: token) { (block: @Sendable (Int?, (any Error)?) -> Void) in
            block(nil, nil)
            return action
        }
        #expect(try await kept.value == nil)
        let unwrapped: Future<Int?> = future(
            cancelToken: token, onLate: { _ in },
            method: { (block: @Sendable (Int?, (any Error)?) -> Void) in
                block(nil, nil)
                return action
            })
        #expect(await unwrapped.outcome.error as? FuturesError == .invalidCompletion)
        let plain = future(cancelToken: token) { (block: @Sendable (Int) -> Void) in
            block(2); return action
        }
        #expect(try await plain.value == 2)
        let errorOnly = future(cancelToken: token) { (block: @Sendable ((any Error)?) -> Void) in
            block(Failure()); return action
        }
        #expect(await errorOnly.outcome.error is Failure)
        let result = future(cancelToken: token) { (block: @Sendable (Result<Int, Failure>) -> Void) in
            block(.failure(Failure()))
            return action
        }
        #expect(await result.outcome.error is Failure)
        let asTheyCome = future(cancelToken: token) { (block: @Sendable (Int?, String?, (any Error)?) -> Void) in
            block(nil, "x", nil)
            return action
        }
        #expect(try await asTheyCome.value == (nil, "x"))
        let pair: Future<(Int, String)> = future(cancelToken: token) {
            (block: @Sendable (Int?, String?, (any Error)?) -> Void) in
            block(3, "y", nil)
            return action
        }
        #expect(try await pair.value == (3, "y"))
        let twoBlocks = future(cancelToken: token) {
            (_: @Sendable (Int) -> Void, failure: @Sendable (any Error) -> Void) in
            failure(Failure())
            return action
        }
        #expect(await twoBlocks.outcome.error is Failure)
        let noHandle = future(cancelToken: token) { (block: @Sendable (Int) -> Void) -> CancelAction? in
            block(4)
            return nil
        }
        #expect(try await noHandle.value == 4)
        let thrown = future(cancelToken: token) { (_: @Sendable (Int) -> Void) -> CancelAction in throw Failure() }
        #expect(await thrown.outcome.error is Failure)
        #expect(token.registrationCount == 0)
    }

    @Test func `methods that differ only by their completion handler need no annotation`() async {
        let client = Client()
        let token = CancelToken()
        #expect(await future(cancelToken: token) { client.result($0) }.outcome.value == 1)
        #expect(await future(cancelToken: token) { client.error($0) }.outcome.isSuccess())
        #expect(await future(cancelToken: token, method: client.value).outcome.value == 2)
    }

    @Test func `onLate receives a late value once, and no late error`() {
        let (token, late) = (CancelToken(), Box<[Int]>([]))
        let calls = [LegacyCall(), LegacyCall()]
        let futures: [Future<Int>] = calls.map { call in
            future(cancelToken: token, onLate: { value in late.append(value) }, method: call.load)
        }
        token.cancel()
        calls[0].answer(7)
        calls[0].answer(8)
        calls[1].answer(nil, Failure())
        #expect(late.value == [7])
        #expect(futures.allSatisfy { $0.isCancelled })
    }

    @Test(arguments: [TaskCancellationResponse.abandon, .wait])
    func `onLate receives the value of a future that was released and has no waiters`(
        _ response: TaskCancellationResponse
    ) {
        let (token, late, heard) = (CancelToken(), Box<[Int]>([]), Box<[Int]>([]))
        func start(_ call: LegacyCall) -> Future<Int> {
            future(cancelToken: token, onCancel: response, onLate: { late.append($0) }, method: call.load)
        }
        let calls = [LegacyCall(), LegacyCall(), LegacyCall(), LegacyCall()]
        _ = start(calls[0])
        let held = start(calls[1])
        start(calls[2]).onSuccess(context: ImmediateContext()) { heard.append($0) }
        let derived = start(calls[3]).map(context: ImmediateContext()) { $0 * 10 }
        for (index, call) in calls.enumerated() { call.answer(index) }
        #expect(late.value == [0])
        #expect(heard.value == [2])
        #expect(held.result?.value == 1)
        #expect(derived.result?.value == 30)
        #expect(token.registrationCount == 0)

        // Releasing a future does not cancel the call; its token still does.
        let unheard = LegacyCall()
        _ = start(unheard)
        #expect(unheard.cancels.value == 0)
        token.cancel()
        #expect(unheard.cancels.value == 1)
        unheard.answer(5)
        #expect(late.value == [0, 5])
    }

    @Test func `onLate receives the value of a future whose only waiter has left, and never a value that was received`()
        async
    {
        for round in 0..<Stress.rounds(2_000) {
            let (call, late) = (LegacyCall(), Box<[Int]>([]))
            func start() -> Task<Int?, Never> {
                let made: Future<Int> = future(
                    cancelToken: CancelToken(), onLate: { late.append($0) }, method: call.load)
                return Task { await made.outcome.value }
            }
            let waiting = start()
            let waitsForTask = round.isMultiple(of: 2)
            waiting.cancel()
            if waitsForTask { #expect(await waiting.value == nil) }
            call.answer(1)
            let taken = await waiting.value
            if waitsForTask { #expect(late.value == [1]) } else { #expect(taken == nil || late.value.isEmpty) }
        }
    }

    @Test func `a canceled call that never calls its handler is not reported as a broken promise`() async {
        // In a separate process, because all tests share one diagnostics handler.
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.handler = { report in
                if case .brokenPromise = report { preconditionFailure("\(report)") }
            }
            let token = CancelToken()
            let call = LegacyCall()
            let future: Future<Int> = future(cancelToken: token, method: call.load)
            token.cancel()
            call.drop()
            precondition(future.isCancelled)
        }
    }

    @Test func `wait: the handle is canceled, and the call's own result counts`() async {
        for stops in [true, false] {
            let token = CancelToken()
            let call = LegacyCall()
            let future: Future<Int> = future(
                cancelToken: token, onCancel: .wait, onLate: { _ in Issue.record("late") }, method: call.load)
            token.cancel()
            #expect(call.cancels.value == 1)
            #expect(!future.isCancelled && !future.completed)
            if stops { call.answer(nil, Failure()) } else { call.answer(1) }
            #expect(await Answer { try await future.value } == (stops ? .failure : .value(1)))
        }
        let token = CancelToken()
        let call = LegacyCall()
        let done: Future<Int> = future(cancelToken: token, onCancel: .wait, method: call.load)
        call.answer(1)
        #expect(token.registrationCount == 0)
        token.cancel()
        #expect(call.cancels.value == 0)
        #expect(await done.outcome(cancelling: token).value == 1)
    }

    @Test(arguments: MethodShape.allCases)
    func `a racing cancellation cancels both handle and future, or neither`(
        _ shape: MethodShape
    ) async {
        for round in 0..<Stress.rounds(2_000) {
            let call = Call()
            let isInside = round.isMultiple(of: 3)
            let promise = Promise<Future<Void>>()
            await withTaskGroup { group in
                group.addTask { call.token.cancel() }
                group.addTask {
                    promise.success(
                        shape.call(call.token, onLate: { [late = call.late] in late.add() }) { succeed, _ in
                            call.calls.add()
                            if isInside { succeed() } else { call.block.success(succeed) }
                            return CancelAction { [handles = call.handles] in handles.add() }
                        })
                    // There is nothing to wait for if the method was not called.
                    call.block.trySuccess {}
                }
                group.addTask { await call.block.future.outcome.value?() }
                if isInside { call.block.trySuccess {} }
            }
            guard let future = await promise.future.outcome.value else { return }
            let outcome = await future.outcome
            await until { call.token.registrationCount == 0 }
            let wasCalled = call.calls.count == 1
            switch outcome {
            case .success:
                #expect(wasCalled && call.handles.count == 0 && call.late.count == 0)
                #expect(!future.isCancelled)
            case .failure(let error):
                #expect(error is CancellationError && future.isCancelled)
                #expect(call.handles.count == call.calls.count && call.late.count == call.calls.count)
            }
        }
    }

    @Test(arguments: MethodShape.allCases)
    func `with a canceled token the method is not called`(_ shape: MethodShape) {
        let call = Call()
        call.token.cancel()
        #expect(call.make(shape).isCancelled)
        #expect(call.calls.count == 0)
    }

    @Test(arguments: MethodShape.allCases)
    func `if the token is canceled during the method, the handle is canceled when it is returned`(_ shape: MethodShape)
    {
        let call = Call()
        let future = call.make(shape) {
            call.token.cancel()
            #expect(call.handles.count == 0)
        }
        #expect(future.isCancelled)
        #expect(call.handles.count == 1)
        call.succeed()
        #expect(call.late.count == 1)
        call.token.cancel()
        #expect(call.handles.count == 1)
    }

    @Test(arguments: MethodShape.allCases)
    func `if the token is canceled during the method, and it throws, the future is canceled`(_ shape: MethodShape) {
        let call = Call()
        let future = shape.call(call.token, onLate: { [late = call.late] in late.add() }) { _, _ in
            call.token.cancel()
            throw Failure()
        }
        #expect(future.isCancelled)
        #expect(call.token.registrationCount == 0)
    }

    @Test(arguments: MethodShape.allCases)
    func `if the token is canceled afterwards, future and handle are canceled at once`(_ shape: MethodShape) {
        let call = Call()
        let future = call.make(shape)
        call.token.cancel()
        call.token.cancel()
        #expect(future.isCancelled)
        #expect(call.handles.count == 1)
        #expect(call.late.count == 0)
        call.succeed()
        call.succeed()
        #expect(call.late.count == 1)
    }

    @Test(arguments: MethodShape.allCases)
    func `once the future is completed, nothing is canceled and no value is late`(_ shape: MethodShape) {
        for isInside in [true, false] {
            let call = Call()
            let future = call.make(shape) { if isInside { call.succeed() } }
            if !isInside { call.succeed() }
            #expect(future.completed)
            #expect(call.token.registrationCount == 0)
            call.token.cancel()
            call.succeed()
            #expect(call.handles.count == 0)
            #expect(call.late.count == 0)
        }
    }

    @Test(arguments: MethodShape.allCases.filter { $0 != .value })
    func `a late error is dropped`(_ shape: MethodShape) {
        let call = Call()
        _ = call.make(shape)
        call.token.cancel()
        call.fail()
        #expect(call.late.count == 0)
    }

    @Test(arguments: MethodShape.allCases)
    func `an error that the method throws fails the future and leaves nothing registered`(_ shape: MethodShape) {
        let call = Call()
        let future = shape.call(call.token, onLate: { [late = call.late] in late.add() }) { _, _ in throw Failure() }
        #expect(future.result?.error is Failure)
        #expect(call.token.registrationCount == 0)
    }

    @Test(arguments: MethodShape.allCases)
    func `a dropped completion handler breaks the future, and the handle is released`(_ shape: MethodShape) {
        let alive = Tally()
        let token = CancelToken()
        let future = shape.call(token, onLate: {}) { [captive = Captive(alive)] _, _ in
            CancelAction { captive.touch() }
        }
        guard case FuturesError.brokenPromise? = future.result?.error else {
            Issue.record("\(String(describing: future.result))")
            return
        }
        #expect(token.registrationCount == 0)
        #expect(alive.count == 0)
    }

    @Test(arguments: MethodShape.allCases)
    func `handle and onLate are released when the call has ended`(_ shape: MethodShape) {
        for isCancelled in [false, true] {
            let (handles, lates) = (Tally(), Tally())
            let call = Call()
            do {
                let (ofHandle, ofLate) = (Captive(handles), Captive(lates))
                _ = shape.call(call.token, onLate: { ofLate.touch() }) { succeed, _ in
                    call.block.success(succeed)
                    return CancelAction { ofHandle.touch() }
                }
            }
            #expect(handles.count == 1 && lates.count == 1)
            if isCancelled {
                call.token.cancel()
                #expect(handles.count == 0)
            }
            call.succeed()
            #expect(handles.count == 0 && lates.count == 0)
        }
    }

    @Test(arguments: MethodShape.allCases)
    func `a cancellation inside a callback takes effect at once`(_ shape: MethodShape) {
        let call = Call()
        let future = call.make(shape)
        let start = Promise<Void>()
        start.future.onSuccess(context: immediate) {
            call.token.cancel()
            call.succeed()
        }
        start.success()
        #expect(future.isCancelled)
        #expect(call.handles.count == 1)
        #expect(call.late.count == 1)
    }

    @Test(arguments: MethodShape.allCases)
    func `the future is canceled before the first handler runs`(_ shape: MethodShape) {
        let call = Call()
        let (seen, made) = (Tally(), Promise<Future<Void>>())
        call.token.onCancel { if made.future.result?.value?.isCancelled == true { seen.add() } }
        made.success(call.make(shape))
        call.token.cancel()
        #expect(seen.count == 1)
    }

    @Test(arguments: MethodShape.allCases)
    func `once task.cancel has returned, a value is late`(_ shape: MethodShape) async {
        for _ in 0..<Stress.rounds(100) {
            let call = Call()
            let future = call.make(shape)
            let before = future.observerCount
            let task = Task { await Answer { try await future.map { 1 }.value(cancelling: call.token) } }
            await until { future.observerCount == before + 1 }
            await until { call.token.registrationCount > 0 }
            task.cancel()
            guard call.token.isCancelled else {
                // The task had not begun to wait.
                _ = await task.value
                continue
            }
            call.succeed()
            let answer = await task.value
            await until { call.handles.count == 1 }
            guard answer != .cancellation else { continue }
            Issue.record("\(answer)")
            break
        }
    }
}

/// A call of a method with a handle.
private final class Call: Sendable {
    let token = CancelToken()
    let calls = Tally()
    let handles = Tally()
    let late = Tally()
    /// The success handler.
    let block = Promise<@Sendable () -> Void>()
    private let failing = Promise<@Sendable (any Error) -> Void>()

    func make(_ shape: MethodShape, _ body: @escaping @Sendable () -> Void = {}) -> Future<Void> {
        // The closures must not hold the call, which holds the handler.
        shape.call(token, onLate: { [late] in late.add() }) { [handles] succeed, fail in
            self.calls.add()
            self.block.success(succeed)
            self.failing.success(fail)
            body()
            return CancelAction { handles.add() }
        }
    }

    func succeed() { block.future.result?.value?() }

    func fail() { failing.future.result?.value?(Failure()) }
}

/// A call whose result the test provides.
private final class LegacyCall: CancellableHandle {
    let cancels = Box(0)
    let block = Box<(@Sendable (Int?, (any Error)?) -> Void)?>(nil)

    func load(_ completion: @escaping @Sendable (Int?, (any Error)?) -> Void) -> LegacyCall {
        block.value = completion
        return self
    }

    func answer(_ value: Int?, _ error: (any Error)? = nil) { block.value?(value, error) }
    func drop() { block.value = nil }

    func cancel() { cancels.increment() }
}

private struct Client {
    func result(_ block: @escaping @Sendable (Result<Int, Failure>) -> Void) -> CancelAction {
        block(.success(1))
        return CancelAction {}
    }
    func error(_ block: @escaping @Sendable ((any Error)?) -> Void) -> CancelAction {
        block(nil)
        return CancelAction {}
    }
    func value(_ block: @escaping @Sendable (Int) -> Void) -> CancelAction {
        block(2)
        return CancelAction {}
    }
}
