import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promises 2 and 8: a future ends once, in one way", .watchdog)
struct TerminalStateTests {
    private let here = ImmediateContext()

    @Test func `a canceled future has no result, and accepts none`() {
        let (token, promise) = (CancelToken(), Promise<Int>())
        let cancelled = promise.future.map(context: here, cancelToken: token) { $0 }
        token.cancel()
        #expect(!cancelled.tryComplete(.success(1)))
        promise.success(1)
        #expect(cancelled.isCancelled && !cancelled.completed && cancelled.result == nil)
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

    @Test func `a promise that is dropped while another thread adds a producer ends`() {
        race {
            let promise = Promise<Int>()
            return (source: Promise<Int>(), future: promise.future, promise: Box<Promise<Int>?>(promise))
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

    // MARK: The first completion counts, and later ones are reported

    // The report handler is global to the process, so each test that sets it runs in a process of its own.

    @Test func `one of many racing completions counts, and all others are reported`() async {
        await #expect(processExitsWith: .success) {
            let reports = Log<FuturesDiagnostic>()
            FuturesDiagnostics.handler = { reports.add($0) }
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
}
