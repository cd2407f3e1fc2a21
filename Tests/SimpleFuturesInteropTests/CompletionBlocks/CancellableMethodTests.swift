import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("future(cancelToken:method:): one handle, one result", .watchdog)
struct CancellableMethodTests {
    @Test func `missing values, optional values and missing handles`() async throws {
        let token = CancelToken()
        let action = CancelAction { Issue.record("cancelled") }
        func nothing(_ block: @Sendable (Int?, (any Error)?) -> Void) -> CancelAction {
            block(nil, nil)
            return action
        }
        let missing = future(cancelToken: token) { (block: @Sendable (Int?, (any Error)?) -> Void) in nothing(block) }
        let _: Future<Int> = missing
        #expect(await missing.outcome.error as? FuturesError == .invalidCompletion)
        let kept: Future<Int?> = future(cancelToken: token) { (block: @Sendable (Int?, (any Error)?) -> Void) in
            nothing(block)
        }
        #expect(try await kept.value == nil)
        let unwrapped: Future<Int?> = future(
            cancelToken: token, onLate: { _ in },
            method: { (block: @Sendable (Int?, (any Error)?) -> Void) in nothing(block) })
        #expect(await unwrapped.outcome.error as? FuturesError == .invalidCompletion)
        let asTheyCome = future(cancelToken: token) { (block: @Sendable (Int?, String?, (any Error)?) -> Void) in
            block(nil, "x", nil)
            return action
        }
        #expect(try await asTheyCome.value == (nil, "x"))
        let progress = future(cancelToken: token) { (block: @Sendable (Int, String) -> Void) in
            block(5, "z")
            return action
        }
        #expect(try await progress.value == (5, "z"))
        let failed = future(cancelToken: token) { (block: @Sendable (Int, Failure?, Bool) -> Void) in
            block(5, Failure(), true)
            return action
        }
        #expect(await failed.outcome.error is Failure)
        let noHandle = future(cancelToken: token) { (block: @Sendable (Int) -> Void) -> CancelAction? in
            block(4)
            return nil
        }
        #expect(try await noHandle.value == 4)
        #expect(token.registrationCount == 0)
    }

    @Test(arguments: [true, false])
    func `a call that answers with neither value nor error is reported, unless it was canceled`(isCanceled: Bool) {
        let count = Reports.during { reports in
            let (token, handler) = (CancelToken(), Box<(@Sendable (Int?, (any Error)?) -> Void)?>(nil))
            let site = CreationSite(fileID: "Neither.swift", line: isCanceled ? 1 : 2)
            let made: Future<Int> = future(cancelToken: token, fileID: "Neither.swift", line: isCanceled ? 1 : 2) {
                (completion: @escaping @Sendable (Int?, (any Error)?) -> Void) in
                handler.value = completion
                return CancelAction {}
            }
            if isCanceled { token.cancel() }
            handler.value?(nil, nil)
            #expect(made.isCancelled == isCanceled)
            return reports.about(site).count
        }
        #expect(count == (isCanceled ? 0 : 1))
    }

    @Test func `methods that differ only by their completion handler need no annotation`() async {
        let (client, token) = (Client(), CancelToken())
        #expect(await future(cancelToken: token) { client.result($0) }.outcome.value == 1)
        #expect(await future(cancelToken: token) { client.error($0) }.outcome.isSuccess())
        #expect(await future(cancelToken: token, method: client.value).outcome.value == 2)
    }

    @Test(arguments: [TaskCancellationResponse.abandon, .wait])
    func `onLate receives the value of a future released without waiters`(_ response: TaskCancellationResponse) {
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

    @Test func `onLate receives a value whose only waiter has left, and never one that was received`() async {
        for round in 0..<Stress.rounds(500) {
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

    @Test func `a canceled call that drops its handler, or calls it with neither, is not reported`() async {
        // In a separate process, because all tests share one diagnostics handler.
        await #expect(processExitsWith: .success) {
            FuturesDiagnostics.handler = { report in preconditionFailure("\(report)") }
            for end in [{ $0.drop() }, { $0.answer(nil, nil) }] as [@Sendable (LegacyCall) -> Void] {
                let (token, call, awaited) = (CancelToken(), LegacyCall(), LegacyCall())
                let future: Future<Int> = future(cancelToken: token, method: call.load)
                token.cancel()
                end(call)
                precondition(future.isCancelled)
                for isHeld in [true, false] {
                    let (token, call) = (CancelToken(), LegacyCall())
                    var made: Future<Int>? = SimpleFuturesInterop.future(
                        cancelToken: token, onLate: { _ in preconditionFailure("late") }, method: call.load)
                    if !isHeld { made = nil }
                    token.cancel()
                    end(call)
                    precondition(made?.isCancelled != false)
                }
                let task = Task { try await withCompletionHandler { awaited.load($0) } as Int }
                await until { awaited.isWaiting }
                task.cancel()
                _ = await task.result
                end(awaited)
            }
        }
    }

    @Test func `wait: the handle is canceled, and the call's own result counts`() async {
        for stops in [true, false] {
            let (token, call) = (CancelToken(), LegacyCall())
            let future: Future<Int> = future(
                cancelToken: token, onCancel: .wait, onLate: { _ in Issue.record("late") }, method: call.load)
            token.cancel()
            #expect(call.cancels.value == 1 && !future.isCancelled && !future.completed)
            if stops { call.answer(nil, Failure()) } else { call.answer(1) }
            #expect(await Answer { try await future.value } == (stops ? .failure(Failure()) : .success(1)))
        }
        let (token, call) = (CancelToken(), LegacyCall())
        let done: Future<Int> = future(cancelToken: token, onCancel: .wait, method: call.load)
        call.answer(1)
        #expect(token.registrationCount == 0)
        token.cancel()
        #expect(call.cancels.value == 0)
        #expect(await done.outcome(cancelling: token).value == 1)
        // A call that is not made has no result of its own.
        let never: Future<Int> = future(cancelToken: token, onCancel: .wait, method: LegacyCall().load)
        #expect(never.result?.error is CancellationError)
    }

    @Test func `wait: a handle that the method returns after the end of a canceled call is not canceled`() {
        let (token, call) = (CancelToken(), LegacyCall())
        let made: Future<Int> = future(cancelToken: token, onCancel: .wait) { completion -> LegacyCall in
            token.cancel()
            completion(1, nil)
            return call
        }
        #expect(made.result?.value == 1 && call.cancels.value == 0)
    }
}

/// A call whose result the test provides.
private final class LegacyCall: CancellableHandle {
    let cancels = Box(0)
    private let block = Box<(@Sendable (Int?, (any Error)?) -> Void)?>(nil)

    func load(_ completion: @escaping @Sendable (Int?, (any Error)?) -> Void) -> LegacyCall {
        block.value = completion
        return self
    }

    func answer(_ value: Int?, _ error: (any Error)? = nil) { block.value?(value, error) }
    func drop() { block.value = nil }
    var isWaiting: Bool { block.value != nil }

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
