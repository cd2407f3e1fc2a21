import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("future(cancelToken:method:): one handle, one answer", .watchdog)
struct CancellableMethodTests {
    @Test(arguments: MethodShape.allCases)
    func `a cancellation that races with everything cancels handle and future together, or neither`(
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
                    // Nobody waits for a method that was not called.
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
    func `when the token is cancelled already, the method is not called`(_ shape: MethodShape) {
        let call = Call()
        call.token.cancel()
        #expect(call.make(shape).isCancelled)
        #expect(call.calls.count == 0)
    }

    @Test(arguments: MethodShape.allCases)
    func `cancelled while the method runs, the handle is cancelled when it comes`(_ shape: MethodShape) {
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
    func `cancelled while the method runs, and then it throws: there is no handle`(_ shape: MethodShape) {
        let call = Call()
        let future = shape.call(call.token, onLate: { [late = call.late] in late.add() }) { _, _ in
            call.token.cancel()
            throw Failure()
        }
        #expect(future.isCancelled)
        #expect(call.token.registrationCount == 0)
    }

    @Test(arguments: MethodShape.allCases)
    func `cancelled afterwards, future and handle are cancelled at once`(_ shape: MethodShape) {
        let call = Call()
        let future = call.make(shape)
        call.token.cancel()
        #expect(future.isCancelled)
        #expect(call.handles.count == 1)
        #expect(call.late.count == 0)
        call.succeed()
        call.succeed()
        #expect(call.late.count == 1)
    }

    @Test(arguments: MethodShape.allCases)
    func `completed before, nothing is cancelled`(_ shape: MethodShape) {
        for isInside in [true, false] {
            let call = Call()
            let future = call.make(shape) { if isInside { call.succeed() } }
            if !isInside { call.succeed() }
            #expect(future.completed)
            #expect(call.token.registrationCount == 0)
            call.token.cancel()
            #expect(call.handles.count == 0)
            #expect(call.late.count == 0)
        }
    }

    @Test(arguments: MethodShape.allCases.filter { $0 != .value })
    func `an error that comes late goes nowhere`(_ shape: MethodShape) {
        let call = Call()
        _ = call.make(shape)
        call.token.cancel()
        call.fail()
        #expect(call.late.count == 0)
    }

    @Test(arguments: MethodShape.allCases)
    func `what the method throws fails the future, and leaves nothing`(_ shape: MethodShape) {
        let call = Call()
        let future = shape.call(call.token, onLate: { [late = call.late] in late.add() }) { _, _ in throw Failure() }
        #expect(future.result?.error is Failure)
        #expect(call.token.registrationCount == 0)
    }

    @Test(arguments: MethodShape.allCases)
    func `a block that is dropped breaks the future, and the handle is let go`(_ shape: MethodShape) {
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
    func `cancelled inside a callback, it is cancelled at once`(_ shape: MethodShape) {
        let call = Call()
        let future = call.make(shape)
        let start = Promise<Void>()
        start.future.onSuccess(context: ImmediateContext()) {
            call.token.cancel()
            call.succeed()
        }
        start.success()
        #expect(future.isCancelled)
        #expect(call.handles.count == 1)
        #expect(call.late.count == 1)
    }

    @Test(arguments: MethodShape.allCases)
    func `it is detached before the first handler runs`(_ shape: MethodShape) {
        let call = Call()
        let (seen, made) = (Tally(), Promise<Future<Void>>())
        call.token.onCancel { if made.future.result?.value?.isCancelled == true { seen.add() } }
        made.success(call.make(shape))
        call.token.cancel()
        #expect(seen.count == 1)
    }

    @Test(arguments: MethodShape.allCases)
    func `when task.cancel returns, a value is late`(_ shape: MethodShape) async {
        for _ in 0..<Stress.rounds(100) {
            let call = Call()
            let future = call.make(shape)
            let before = future.observerCount
            let task = Task { await Answer { try await future.map { 1 }.value(cancelling: call.token) } }
            await until { future.observerCount == before + 1 }
            await until { call.token.registrationCount > 0 }
            task.cancel()
            guard call.token.isCancelled else {
                // It had not got round to waiting.
                _ = await task.value
                continue
            }
            call.succeed()
            let answer = await task.value
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
    /// The block to succeed with.
    let block = Promise<@Sendable () -> Void>()
    private let failing = Promise<@Sendable (any Error) -> Void>()

    func make(_ shape: MethodShape, _ body: @escaping @Sendable () -> Void = {}) -> Future<Void> {
        // What is captured must not hold the call, which holds the block.
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
