import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promises 2 and 8: a future ends once, by success, failure, cancellation or breaking", .watchdog)
struct TerminalStateTests {
    private let here = ImmediateContext()

    @Test func `a canceled future runs onCancel and no other callback, and has no result`() {
        let token = CancelToken()
        let promise = Promise<Int>()
        let log = Log<String>()
        let cancelled = promise.future.map(context: here, cancelToken: token) { $0 }
        cancelled.onComplete(context: here) { _ in log.add("onComplete") }
        cancelled.onSuccess(context: here) { _ in log.add("onSuccess") }
        cancelled.onFailure(context: here) { _ in log.add("onFailure") }
        cancelled.onCancel(context: here) { log.add("onCancel") }
        token.cancel()
        cancelled.onComplete(context: here) { _ in log.add("late onComplete") }
        cancelled.onCancel(context: here) { log.add("late onCancel") }
        #expect(log.all == ["onCancel", "late onCancel"])
        #expect(cancelled.result == nil)
        #expect(!cancelled.tryComplete(.success(1)))
        #expect(throws: CancellationError.self) { try cancelled.wait() }
        promise.success(1)
        #expect(cancelled.isCancelled)
        #expect(promise.future.result?.value == 1)
    }

    @Test func `under a canceled token, callbacks are dropped and futures are canceled from the start`() {
        let token = CancelToken()
        token.cancel()
        let runs = Box(0)
        let future = Future(value: 1)
        let watch = Watch { probe in
            future.onComplete(context: here, cancelToken: token) { _ in
                probe.use()
                runs.increment()
            }
        }
        for combinator in FutureCombinator.all where combinator.takesToken {
            let derived = combinator.apply(to: future, under: token) { _ in runs.increment() }
            #expect(derived.isCancelled, "\(combinator)")
        }
        #expect(Future.after(.zero, value: 1, context: here, cancelToken: token).isCancelled)
        #expect(runs.value == 0)
        #expect(watch.isReleased)
        #expect(!future.cancel(token))
    }

    @Test func `a callback can cancel later callbacks, which then do not run`() {
        for isWhole in [true, false] {
            let token = CancelToken()
            let promise = Promise<Int>()
            let future = promise.future
            let log = Log<Int>()
            future.onSuccess(context: here) { _ in
                log.add(1)
                if isWhole { token.cancel() } else { future.cancel(token) }
            }
            future.onSuccess(context: here, cancelToken: token) { _ in log.add(2) }
            future.onSuccess(context: here) { _ in log.add(3) }
            promise.success(1)
            #expect(log.all == [1, 3])
        }
    }

    // MARK: Broken: a future fails when its last producer is released, and not before

    @Test func `releasing a completion handler breaks the future`() {
        let held = Box<(@Sendable (Int) -> Void)?>(nil)
        let wrapped: Future<Int> = future(method: { (block: @escaping @Sendable (Int) -> Void) in held.value = block })
        #expect(!wrapped.completed)
        held.value = nil
        #expect(isBroken(wrapped))

        let two = Box<(@Sendable (any Error) -> Void)?>(nil)
        let either: Future<Int> = future(method: {
            (_: @escaping @Sendable (Int) -> Void, failure: @escaping @Sendable (any Error) -> Void) in
            two.value = failure
        })
        #expect(!either.completed)
        two.value = nil
        #expect(isBroken(either))
        #expect(isBroken(Future<Int> { _ in }))
    }

    @Test func `a dropped promise breaks its future only after its sources are released, too`() {
        var source: Promise<Int>? = Promise()
        let bare = Box<Future<Int>?>(Future())
        var promise: Promise<Int>? = Promise()
        let future = promise!.future
        promise?.completeWith(future: bare.value!)
        bare.value = nil
        #expect(!future.completed)
        promise?.completeWith(future: source!.future)
        promise = nil
        #expect(!future.completed)
        source = nil
        #expect(isBroken(future))
    }

    @Test func `releasing a source breaks the derived futures, on their contexts`() {
        let manual = ManualContext()
        let log = Log<String>()
        var bare: Future<Int>? = Future()
        bare?.onComplete(context: manual) { log.add($0.isFailure() ? "failure" : "success") }
        let mapped = bare!.map(context: manual) { $0 }
        let recovered = bare!.recover(context: manual) { _ in 7 }
        let token = CancelToken()
        bare?.onFailure(context: manual, cancelToken: token) { _ in log.add("detached") }
        bare = nil
        #expect(isBroken(mapped))
        #expect(!recovered.completed)
        token.cancel()
        manual.run()
        #expect(log.all == ["failure"])
        #expect(recovered.result?.value == 7)
    }

    @Test func `releasing a manual context breaks the futures of its tasks, and releases all captures`() {
        var manual: ManualContext? = ManualContext()
        let future = Future(value: 1)
        let mapped = future.map(context: manual!) { $0 }
        let delayed = future.delay(.seconds(1), context: manual!)
        manual = nil
        #expect(isBroken(mapped))
        #expect(isBroken(delayed))
        #expect(future.observerCount == 0)
    }

    @Test func `a promise that is dropped while another thread adds a producer ends`() {
        race {
            let source = Promise<Int>()
            let promise = Promise<Int>()
            return Arena(source: source, future: promise.future, promise: Box(promise))
        } _: { arena in
            arena.promise.value = nil
        } _: { arena in
            arena.future.completeWith(future: arena.source.future)
        } check: { arena in
            arena.source.success(1)
            try verify(arena.future.completed, "it has ended")
            try verify(arena.source.future.observerCount == 0, "nothing stays registered")
        }
    }

    private func isBroken(_ future: Future<Int>) -> Bool {
        if case .brokenPromise = future.result?.error as? FuturesError { true } else { false }
    }

    // MARK: The first completion counts, and later ones are reported

    // The report handler is global to the process, so each test that sets it runs in a process of its own.

    @Test func `one of many racing completions counts, and all others are reported`() async {
        await #expect(processExitsWith: .success) {
            let reports = recordReports()
            let promise = Promise<Int>()
            DispatchQueue.concurrentPerform(iterations: 100) { promise.success($0) }
            precondition(reports.all.count == 99)
        }
    }

    @Test func `the report handler can complete, register, report and replace itself`() async {
        await #expect(processExitsWith: .success) {
            let count = Box(0)
            let promise = Promise<Int>()
            promise.success(1)
            FuturesDiagnostics.handler = { _ in
                count.increment()
                promise.future.onSuccess(context: ImmediateContext()) { _ in count.increment() }
                // Its own double completion is not reported again.
                promise.success(2)
                if count.value == 6 { FuturesDiagnostics.handler = nil }
            }
            for _ in 0..<4 { promise.success(3) }
            precondition(count.value == 6)
            precondition(FuturesDiagnostics.handler == nil)
        }
    }

    @Test func `if completion races with cancellation, one of the two counts`() {
        race {
            let source = Promise<Int>()
            let token = CancelToken()
            return Derived(source: source, token: token, future: source.future.map(cancelToken: token) { $0 })
        } _: { arena in
            arena.completed.value = arena.future.trySuccess(9)
        } _: { arena in
            arena.token.cancel()
        } check: { arena in
            try verify(arena.future.isCancelled != arena.completed.value, "one of the two")
            try verify(arena.future.result?.value == (arena.completed.value ? 9 : nil), "the result is the winner's")
        }
    }
}

private struct Arena: Sendable {
    let source: Promise<Int>
    let future: Future<Int>
    let promise: Box<Promise<Int>?>
}

private struct Derived: Sendable {
    let source: Promise<Int>
    let token: CancelToken
    let future: Future<Int>
    let completed = Box(false)
}

private func recordReports() -> Log<FuturesDiagnostic> {
    let reports = Log<FuturesDiagnostic>()
    FuturesDiagnostics.handler = { reports.add($0) }
    return reports
}
