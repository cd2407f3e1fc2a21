import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// For methods with every shape of completion handler.

extension CancellableMethodTests {
    @Test(arguments: MethodShape.allCases)
    func `a racing cancellation cancels both handle and future, or neither`(_ shape: MethodShape) async throws {
        for round in 0..<Stress.rounds(2_000) {
            let call = Call()
            let isInside = round.isMultiple(of: 3)
            let promise = Promise<Future<Int>>()
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
            let future = try await promise.future.value
            let outcome = await future.outcome
            await until { call.token.registrationCount == 0 }
            switch outcome {
            case .success:
                #expect(call.calls.count == 1 && call.handles.count == 0 && call.late.count == 0)
                #expect(!future.isCancelled)
            case .failure(let error):
                #expect(error is CancellationError && future.isCancelled)
                #expect(call.handles.count == call.calls.count && call.late.count == call.calls.count)
            }
        }
    }

    @Test(arguments: MethodShape.allCases)
    func `the first event counts, during the method or later, and the end releases everything`(_ shape: MethodShape) {
        for events in Event.orders(for: shape) {
            for countInside in 0...events.count {
                let call = Call()
                let future = call.make(shape) { for event in events.prefix(countInside) { call.happens(event) } }
                for event in events.dropFirst(countInside) { call.happens(event) }
                // All of them again change nothing.
                for event in events { call.happens(event) }
                let isCancelled = events.first == .cancel
                let answer = events.first { $0 != .cancel }
                let comment: Comment = "\(events), \(countInside) of them during the method"
                #expect(future.isCancelled == isCancelled, comment)
                #expect(future.result?.value == (events.first == .succeed ? 1 : nil), comment)
                #expect((future.result?.error is Failure) == (events.first == .fail), comment)
                #expect(call.handles.count == (isCancelled ? 1 : 0), comment)
                #expect(call.late.count == (isCancelled && answer == .succeed ? 1 : 0), comment)
                #expect(call.liveHandles.count == (events.isEmpty ? 1 : 0), comment)
                #expect(call.liveLates.count == (answer == nil ? 1 : 0), comment)
                if !events.isEmpty { #expect(call.token.registrationCount == 0, comment) }
            }
        }
    }

    @Test(arguments: MethodShape.allCases)
    func `with a canceled token the method is not called, and one that throws is canceled`(_ shape: MethodShape) {
        let call = Call()
        call.token.cancel()
        #expect(call.make(shape).isCancelled && call.calls.count == 0)
        let token = CancelToken()
        let thrown = shape.call(token, onLate: {}) { _, _ in
            token.cancel()
            throw Failure()
        }
        #expect(thrown.isCancelled && token.registrationCount == 0)
    }

    @Test(arguments: MethodShape.allCases)
    func `canceled in a callback, the future ends before any handler runs, and a value is late`(_ shape: MethodShape) {
        let (call, seen, made) = (Call(), Tally(), Promise<Future<Int>>())
        call.token.onCancel { if made.future.result?.value?.isCancelled == true { seen.add() } }
        made.success(call.make(shape))
        Future(value: ()).onSuccess(context: immediate) {
            call.token.cancel()
            call.happens(.succeed)
        }
        #expect(seen.count == 1 && call.handles.count == 1)
        #expect(call.late.count == 1)
    }

    @Test(arguments: MethodShape.allCases)
    func `a method that throws or drops its handler fails the future, and nothing is left`(_ shape: MethodShape) {
        let (token, alive) = (CancelToken(), Tally())
        let thrown = shape.call(token, onLate: { [captive = Captive(alive)] in captive.touch() }) { _, _ in
            throw Failure()
        }
        #expect(thrown.result?.error is Failure)
        #expect(token.registrationCount == 0 && alive.count == 0)
        let dropped = shape.call(token, onLate: { [captive = Captive(alive)] in captive.touch() }) {
            [captive = Captive(alive)] _, _ in
            CancelAction { captive.touch() }
        }
        guard case FuturesError.brokenPromise? = dropped.result?.error else {
            Issue.record("\(String(describing: dropped.result))")
            return
        }
        #expect(token.registrationCount == 0 && alive.count == 0)
    }
}

private enum Event: CaseIterable {
    case cancel, succeed, fail

    /// Every order of every set of events.
    static func orders(for shape: MethodShape) -> [[Event]] {
        // A handler that takes only a value cannot fail.
        let all = allCases.filter { $0 != .fail || ![.nothing, .value].contains(shape) }
        return Array(Set(permutations(all).flatMap { order in (0...all.count).map { Array(order.prefix($0)) } }))
    }
}

private final class Call: Sendable {
    let token = CancelToken()
    let calls = Tally()
    /// How often the handle was canceled.
    let handles = Tally()
    let late = Tally()
    let (liveHandles, liveLates) = (Tally(), Tally())
    /// The success handler.
    let block = Promise<@Sendable () -> Void>()
    private let failing = Promise<@Sendable (any Error) -> Void>()

    func make(_ shape: MethodShape, _ body: @escaping @Sendable () -> Void = {}) -> Future<Int> {
        // The closures must not hold the call, which holds the handler.
        let onLate = { @Sendable [late, captive = Captive(liveLates)] in
            captive.touch()
            late.add()
        }
        return shape.call(token, onLate: onLate) { [handles] succeed, fail in
            self.calls.add()
            self.block.success(succeed)
            self.failing.success(fail)
            body()
            return CancelAction { [captive = Captive(self.liveHandles)] in
                captive.touch()
                handles.add()
            }
        }
    }

    func happens(_ event: Event) {
        switch event {
        case .cancel: token.cancel()
        case .succeed: block.future.result?.value?()
        case .fail: failing.future.result?.value?(Failure())
        }
    }
}
