import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// A call of the old kind, which the test answers.
private final class Call: CancellableHandle {
    let cancels = Box(0)
    let block = Box<(@Sendable (Int?, (any Error)?) -> Void)?>(nil)
    /// What the call does when it is cancelled.
    let onCancel = Box<(@Sendable () -> Void)?>(nil)

    func load(_ completion: @escaping @Sendable (Int?, (any Error)?) -> Void) -> Call {
        block.value = completion
        return self
    }

    func answer(_ value: Int?, _ error: (any Error)? = nil) { block.value?(value, error) }
    func drop() { block.value = nil }

    func cancel() {
        cancels.change { $0 += 1 }
        onCancel.value?()
    }
}

@Suite("future(cancelToken:onCancel:onLate:method:) in all shapes", .watchdog)
struct CancellableMethodShapeTests {
    @Test func `every shape gets its value`() async throws {
        let token = CancelToken()
        let action = CancelAction { Issue.record("cancelled") }
        let optional = future(cancelToken: token) { (block: @Sendable (Int?, (any Error)?) -> Void) in
            block(1, nil); return action
        }
        #expect(try await optional.value == 1)
        let unwrapped: Future<Int> = future(cancelToken: token) { (block: @Sendable (Int?, (any Error)?) -> Void) in
            block(nil, nil)
            return action
        }
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

    @Test func `methods that differ by their block alone need no annotation`() async {
        let client = Client()
        let token = CancelToken()
        #expect(await future(cancelToken: token) { client.result($0) }.outcome.value == 1)
        #expect(await future(cancelToken: token) { client.error($0) }.outcome.isSuccess())
        #expect(await future(cancelToken: token, method: client.value).outcome.value == 2)
    }

    @Test func `the token cancels the future, then the handle, once`() {
        let token = CancelToken()
        let call = Call()
        let isCancelledFirst = Box(false)
        let future: Future<Int> = future(cancelToken: token, method: call.load)
        call.onCancel.value = { isCancelledFirst.value = future.isCancelled }
        token.cancel()
        token.cancel()
        #expect(future.isCancelled)
        #expect(call.cancels.value == 1)
        #expect(isCancelledFirst.value)
        call.drop()
        #expect(token.registrationCount == 0)
    }

    @Test func `cancellation comes before the handle is stored`() {
        let token = CancelToken()
        let call = Call()
        let future: Future<Int> = future(cancelToken: token) { block in
            token.cancel()
            #expect(call.cancels.value == 0)
            return call.load(block)
        }
        #expect(future.isCancelled)
        #expect(call.cancels.value == 1)
    }

    @Test func `under a cancelled token the method is not called`() {
        let token = CancelToken()
        token.cancel()
        let future: Future<Int> = future(cancelToken: token) { (_: @Sendable (Int?, (any Error)?) -> Void) -> Call in
            Issue.record("called")
            return Call()
        }
        #expect(future.isCancelled)
    }

    @Test func `what is completed is not cancelled any more, and holds nothing`() {
        let token = CancelToken()
        weak var handle: Call?
        let future: Future<Int>
        do {
            let call = Call()
            handle = call
            future = SimpleFuturesInterop.future(cancelToken: token, method: call.load)
            call.answer(1)
            call.drop()
            #expect(token.registrationCount == 0)
        }
        #expect(handle == nil)
        token.cancel()
        #expect(future.result?.value == 1)
    }

    @Test func `a late value goes to onLate, once; late errors nowhere`() {
        let token = CancelToken()
        let late = Box<[Int]>([])
        let first = Call()
        let second = Call()
        let futures: [Future<Int>] = [first, second].map { call in
            future(cancelToken: token, onLate: { value in late.change { $0.append(value) } }, method: call.load)
        }
        token.cancel()
        first.answer(7)
        first.answer(8)
        second.answer(nil, Failure())
        #expect(late.value == [7])
        #expect(futures.allSatisfy { $0.isCancelled })
    }

    @Test func `a value in time never goes to onLate`() {
        let token = CancelToken()
        let call = Call()
        let future: Future<Int> = future(cancelToken: token, onLate: { _ in Issue.record("late") }, method: call.load)
        call.answer(1)
        token.cancel()
        call.answer(2)
        #expect(future.result?.value == 1)
        #expect(call.cancels.value == 0)
    }

    @Test func `inside a callback the cancellation counts at once`() {
        let token = CancelToken()
        let call = Call()
        let late = Box<[Int]>([])
        let future: Future<Int> = future(
            cancelToken: token, onLate: { value in late.change { $0.append(value) } }, method: call.load)
        Future(value: 0).onSuccess(context: ImmediateContext()) { _ in
            token.cancel()
            call.answer(1)
        }
        #expect(future.isCancelled)
        #expect(late.value == [1])
        #expect(call.cancels.value == 1)
    }

    @Test func `a call that was stopped and never answers is no broken promise`() async {
        // In a process of its own, as the handler is one for all tests.
        await #expect(processExitsWith: .exitCode(3)) {
            FuturesDiagnostics.handler = { report in
                if case .brokenPromise = report { exit(4) }
            }
            let token = CancelToken()
            let call = Call()
            let future: Future<Int> = future(cancelToken: token, method: call.load)
            token.cancel()
            call.drop()
            exit(future.isCancelled ? 3 : 5)
        }
    }

    @Test func `wait: the handle is cancelled, the answer is the call's own`() async {
        for stops in [true, false] {
            let token = CancelToken()
            let call = Call()
            let future: Future<Int> = future(
                cancelToken: token, onCancel: .wait, onLate: { _ in Issue.record("late") }, method: call.load)
            token.cancel()
            #expect(call.cancels.value == 1)
            #expect(!future.isCancelled && !future.completed)
            if stops { call.answer(nil, Failure()) } else { call.answer(1) }
            #expect(await Answer { try await future.value } == (stops ? .failure : .value(1)))
        }
        let token = CancelToken()
        let call = Call()
        let done: Future<Int> = future(cancelToken: token, onCancel: .wait, method: call.load)
        call.answer(1)
        #expect(token.registrationCount == 0)
        token.cancel()
        #expect(call.cancels.value == 0)
        #expect(await done.outcome(cancelling: token).value == 1)
    }

    @Test func `an await with the token stops the call`() async {
        let token = CancelToken()
        let call = Call()
        let future: Future<Int> = future(cancelToken: token, method: call.load)
        let task = Task { await Answer { try await future.value(cancelling: token) } }
        await until { future.observerCount > 0 && call.block.value != nil }
        task.cancel()
        #expect(await task.value == .cancellation)
        await until { call.cancels.value == 1 }
    }
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
