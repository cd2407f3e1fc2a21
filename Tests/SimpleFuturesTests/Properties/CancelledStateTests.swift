import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Cancelled: no failure, no result, and no silence without an end", .watchdog)
struct CancelledStateTests {
    private let here = ImmediateContext()

    @Test func `a cancelled future is silent to callbacks, tells onCancel, and cancels what is derived from it`() {
        let token = CancelToken()
        let promise = Promise<Int>()
        let log = Log<String>()
        let cancelled = promise.future.map(context: here, cancelToken: token) { $0 }
        cancelled.onComplete(context: here) { _ in log.add("onComplete") }
        cancelled.onSuccess(context: here) { _ in log.add("onSuccess") }
        cancelled.onFailure(context: here) { _ in log.add("onFailure") }
        cancelled.onCancel(context: here) { log.add("onCancel") }
        let derived = every(from: cancelled)
        token.cancel()
        cancelled.onComplete(context: here) { _ in log.add("late onComplete") }
        cancelled.onCancel(context: here) { log.add("late onCancel") }
        #expect(log.all == ["onCancel", "late onCancel"])
        for future in derived + every(from: cancelled) {
            #expect(future.isCancelled)
            #expect(!future.completed)
        }
        #expect(cancelled.result == nil)
        #expect(!cancelled.tryComplete(.success(1)))
        #expect(throws: CancellationError.self) { try cancelled.wait() }
        promise.success(1)
        #expect(cancelled.isCancelled)
        #expect(promise.future.result?.value == 1)
    }

    @Test func `flatMap and recoverWith are cancelled in their second half, and the inner future goes on`() {
        for succeeds in [true, false] {
            let token = CancelToken()
            let inner = Promise<Int>()
            let source = succeeds ? Future(value: 1) : Future<Int>(error: Failure())
            let derived =
                succeeds
                ? source.flatMap(context: here, cancelToken: token) { _ in inner.future }
                : source.recoverWith(context: here, cancelToken: token) { _ in inner.future }
            #expect(inner.future.observerCount == 1)
            #expect(!source.cancel(token))
            token.cancel()
            #expect(derived.isCancelled)
            #expect(inner.future.observerCount == 0)
            inner.success(2)
            #expect(inner.future.result?.value == 2)
            #expect(derived.isCancelled)
        }
    }

    @Test func `a token that is cancelled while the closure of a flatMap runs cancels the second half`() {
        let token = CancelToken()
        let derived = Future(value: 1).flatMap(context: here, cancelToken: token) { value in
            token.cancel()
            return Future(value: value)
        }
        #expect(derived.isCancelled)
    }

    @Test func `under a token that was cancelled before, callbacks are dropped and futures are born cancelled`() {
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
        let derived: [Future<Int>] = [
            future.map(context: here, cancelToken: token) { $0 },
            future.flatMap(context: here, cancelToken: token) { Future(value: $0) },
            future.recover(context: here, cancelToken: token) { _ in 1 },
            future.delay(.zero, context: here, cancelToken: token),
            future.timeout(.zero, context: here, cancelToken: token),
            .after(.zero, value: 1, context: here, cancelToken: token),
            .retry(1, context: here, cancelToken: token) { future },
        ]
        #expect(derived.map(\.isCancelled) == Array(repeating: true, count: derived.count))
        #expect(runs.value == 0)
        #expect(watch.isReleased)
        #expect(!future.cancel(token))
    }

    @Test func `a callback that cancels those behind it keeps them from running`() {
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

    @Test func `a callback whose context has it, but has not begun it, is detached`() {
        let context = ManualContext()
        let token = CancelToken()
        let future = Future(value: 1)
        let runs = Box(0)
        future.onSuccess(context: context, cancelToken: token) { _ in runs.increment() }
        let derived = future.map(context: context, cancelToken: token) { $0 }
        #expect(context.pendingCount == 2)
        #expect(future.cancel(token))
        #expect(!future.cancel(token))
        #expect(derived.isCancelled)
        context.run()
        #expect(runs.value == 0)
    }

    @Test func `future.cancel detaches on that future alone`() {
        let token = CancelToken()
        let first = Promise<Int>()
        let second = Promise<Int>()
        let cancelled = first.future.map(context: here, cancelToken: token) { $0 }
        let kept = second.future.map(context: here, cancelToken: token) { $0 }
        let other = first.future.map(context: here, cancelToken: CancelToken()) { $0 }
        #expect(first.future.cancel(token))
        first.success(1)
        second.success(2)
        #expect(cancelled.isCancelled)
        #expect(kept.result?.value == 2)
        #expect(other.result?.value == 1)
        #expect(!token.isCancelled)
    }

    @Test func `the token none takes no cancellation`() {
        let promise = Promise<Int>()
        let derived = promise.future.map(context: here) { $0 }
        CancelToken.none.cancel()
        #expect(!promise.future.cancel(.none))
        #expect(!CancelToken.none.isCancelled)
        promise.success(1)
        #expect(derived.result?.value == 1)
    }

    private func every(from source: Future<Int>) -> [Future<Int>] {
        let target = Promise<Int>()
        target.completeWith(future: source)
        return [
            source.map(context: here) { $0 },
            source.flatMap(context: here) { Future(value: $0) },
            source.filter(context: here) { _ in true },
            source.andThen(context: here) { _ in },
            source.recover(context: here) { _ in 1 },
            source.recoverWith(context: here) { _ in Future(value: 1) },
            source.mapError(context: here) { $0 },
            source.delay(.zero, context: here),
            source.timeout(.seconds(1_000), context: here),
            Future(dependent: source),
            target.future,
            [source].sequence().map(context: here) { $0[0] },
            zip(source, source).map(context: here) { $0.0 },
            source ?? 1,
            source ?? Future(value: 1),
            source.flatMapError(context: here) { _ in Future(value: 1) },
            source.materialize().map(context: here) { _ in 1 },
            source.asVoid().map(context: here) { 1 },
            [Future(value: 1), source].fold(context: here, initial: 0) { $0 + $1 },
            [Future(value: 1), source].reduce(context: here) { $0 + $1 },
            [source, source].firstCompleted(),
            [source, source].firstSucceeded(),
            [source, source].find(context: here) { _ in true },
            .retry(3, context: here) { source },
        ]
    }
}
