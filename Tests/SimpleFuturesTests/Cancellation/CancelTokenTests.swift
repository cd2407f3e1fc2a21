import SimpleFutures
import Testing
@testable import TestSupport

@Suite("CancelToken", .watchdog)
struct CancelTokenTests {
    @Test func `a new token is not canceled, and cancel changes that`() {
        let token = CancelToken()
        #expect(!token.isCancelled)
        token.cancel()
        #expect(token.isCancelled)
        token.cancel()
        #expect(token.isCancelled)
    }

    @Test func `callbacks registered with it no longer run`() {
        let token = CancelToken()
        let future = Future<Int>()
        let log = Log<String>()
        future.onComplete(context: immediate, cancelToken: token) { _ in log.add("onComplete") }
        future.onSuccess(context: immediate, cancelToken: token) { _ in log.add("onSuccess") }
        future.onFailure(context: immediate, cancelToken: token) { _ in log.add("onFailure") }
        future.onSuccess(context: immediate) { _ in log.add("other") }
        token.cancel()
        future.success(1)
        #expect(log.all == ["other"])
    }

    @Test func `futures derived with it are canceled, and so are the futures derived from those`() {
        let token = CancelToken()
        let source = Future<Int>()
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        let further = derived.recover(context: immediate) { _ in 2 }.flatMap(context: immediate) { Future(value: $0) }
        token.cancel()
        #expect(derived.isCancelled)
        #expect(further.isCancelled)
        #expect(source.ended == .pending)
        source.success(1)
        #expect(derived.ended == .cancelled)
        #expect(source.ended == .success(1))
    }

    @Test func `one token unsubscribes on many futures`() {
        let token = CancelToken()
        let sources = (0..<10).map { _ in Future<Int>() }
        let derived = sources.map { $0.map(context: immediate, cancelToken: token) { $0 } }
        #expect(token.registrationCount == 10)
        token.cancel()
        #expect(derived.allSatisfy { $0.isCancelled })
        #expect(sources.allSatisfy { $0.observerCount == 0 })
        #expect(token.registrationCount == 0)
    }

    @Test func `two tokens on one future are independent`() {
        let one = CancelToken()
        let two = CancelToken()
        let future = Future<Int>()
        let log = Log<String>()
        future.onSuccess(context: immediate, cancelToken: one) { _ in log.add("one") }
        future.onSuccess(context: immediate, cancelToken: two) { _ in log.add("two") }
        let derived = future.map(context: immediate, cancelToken: two) { $0 }
        one.cancel()
        #expect(!two.isCancelled)
        future.success(1)
        #expect(log.all == ["two"])
        #expect(derived.ended == .success(1))
    }

    @Test func `with a canceled token a callback is dropped`() {
        let token = CancelToken()
        token.cancel()
        let log = Log<Int>()
        let pending = Future<Int>()
        let watch = Watch { probe in
            for future in [pending, Future(value: 1)] {
                future.onSuccess(context: immediate, cancelToken: token) {
                    probe.use()
                    log.add($0)
                }
            }
        }
        #expect(watch.isReleased)
        pending.success(1)
        #expect(log.count == 0)
    }

    @Test(arguments: [true, false])
    func `with a canceled token a derived future is canceled from the start`(sourceHasEnded: Bool) {
        let token = CancelToken()
        token.cancel()
        let source = sourceHasEnded ? Future(value: 1) : Future()
        #expect(source.map(context: immediate, cancelToken: token) { $0 }.isCancelled)
        #expect(source.flatMap(context: immediate, cancelToken: token) { Future(value: $0) }.isCancelled)
        #expect(source.withFilter(context: immediate, cancelToken: token) { _ in true }.isCancelled)
        #expect(source.filter(context: immediate, cancelToken: token) { _ in true }.isCancelled)
        #expect(source.andThen(context: immediate, cancelToken: token) { _ in }.isCancelled)
        #expect(source.recover(context: immediate, cancelToken: token) { _ in 2 }.isCancelled)
        #expect(source.recoverWith(context: immediate, cancelToken: token) { _ in Future() }.isCancelled)
        #expect(source.mapError(context: immediate, cancelToken: token) { $0 }.isCancelled)
        #expect(source.delay(.seconds(1), context: ManualContext(), cancelToken: token).isCancelled)
        #expect(source.timeout(.seconds(1), context: ManualContext(), cancelToken: token).isCancelled)
        #expect(source.observerCount == 0)
    }

    @Test func `a cancellation does not affect callbacks that have run`() {
        let token = CancelToken()
        let source = Future<Int>()
        let derived = source.map(context: immediate, cancelToken: token) { $0 + 1 }
        source.success(1)
        token.cancel()
        #expect(derived.ended == .success(2))
        #expect(!derived.isCancelled)
    }

    @Test func `dispatched callbacks that have not begun are unsubscribed`() {
        let token = CancelToken()
        let context = ManualContext()
        let log = Log<Int>()
        let future = Future<Int>()
        let derived = future.map(context: context, cancelToken: token) { $0 }
        future.onSuccess(context: context, cancelToken: token) { log.add($0) }
        future.onSuccess(context: context) { log.add(-$0) }
        future.success(1)
        #expect(context.pendingCount == 3)
        token.cancel()
        #expect(derived.isCancelled)
        context.run()
        #expect(log.all == [-1])
    }

    @Test func `canceling inside a callback unsubscribes later callbacks`() {
        let token = CancelToken()
        let future = Future<Int>()
        let log = Log<String>()
        future.onSuccess(context: immediate) { _ in
            log.add("first")
            token.cancel()
        }
        future.onSuccess(context: immediate, cancelToken: token) { _ in log.add("second") }
        let derived = future.map(context: immediate, cancelToken: token) { $0 }
        future.onSuccess(context: immediate) { _ in log.add("third") }
        future.success(1)
        #expect(log.all == ["first", "third"])
        #expect(derived.isCancelled)
    }

    @Test func `a callback can cancel its own token`() {
        let token = CancelToken()
        let log = Log<Int>()
        let future = Future<Int>()
        let derived = future.map(context: immediate, cancelToken: token) { value in
            token.cancel()
            return value
        }
        future.onSuccess(context: immediate, cancelToken: token) { log.add($0) }
        future.success(1)
        #expect(derived.ended == .success(1))
        #expect(log.count == 0)
    }

    @Test func `canceling inside a callback that runs on a context takes effect at once`() {
        let token = CancelToken()
        let context = ManualContext()
        let log = Log<String>()
        let future = Future(value: 1)
        future.onSuccess(context: context) { _ in token.cancel() }
        future.onSuccess(context: context, cancelToken: token) { _ in log.add("detached") }
        context.run()
        #expect(log.all == [])
    }

    @Test func `tokens are compared by identity in a set`() {
        let token = CancelToken()
        #expect(Set([token, token, CancelToken(), .none, .none]).count == 3)
        #expect(token == token && token != token.child())
    }
}
