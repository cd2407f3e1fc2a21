import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Future.cancel", .watchdog)
struct FutureCancelTests {
    @Test func `it returns whether there was anything to cancel`() {
        let future = Future<Int>()
        let token = CancelToken()
        #expect(!future.cancel(token))
        future.onSuccess(context: immediate, cancelToken: token) { _ in }
        #expect(future.cancel(token))
        #expect(!future.cancel(token))
    }

    @Test func `it unsubscribes only from this future`() {
        let token = CancelToken()
        let here = Future<Int>()
        let there = Future<Int>()
        let log = Log<Int>()
        here.onSuccess(context: immediate, cancelToken: token) { log.add($0) }
        there.onSuccess(context: immediate, cancelToken: token) { log.add($0) }
        let derived = here.map(context: immediate, cancelToken: token) { $0 }
        #expect(here.cancel(token))
        #expect(derived.isCancelled)
        #expect(!token.isCancelled)
        here.success(1)
        there.success(2)
        #expect(log.all == [2])
    }

    @Test func `callbacks registered with another token stay`() {
        let one = CancelToken()
        let two = CancelToken()
        let log = Log<String>()
        let future = Future<Int>()
        future.onSuccess(context: immediate) { _ in log.add("none") }
        future.onSuccess(context: immediate, cancelToken: one) { _ in log.add("one") }
        future.onSuccess(context: immediate, cancelToken: two) { _ in log.add("two") }
        #expect(future.cancel(one))
        future.success(1)
        #expect(log.all == ["none", "two"])
    }

    @Test func `the token runs no handlers and can be used again`() {
        let token = CancelToken()
        let log = Log<String>()
        let future = Future<Int>()
        token.onCancel { log.add("handler") }
        future.onSuccess(context: immediate, cancelToken: token) { _ in log.add("before") }
        #expect(future.cancel(token))
        future.onSuccess(context: immediate, cancelToken: token) { _ in log.add("after") }
        future.success(1)
        #expect(log.all == ["after"])
    }

    @Test(arguments: [1, 100])
    func `it finds its registrations among many of the token and many of the future`(others: Int) {
        let token = CancelToken()
        let future = Future<Int>()
        let elsewhere = Future<Int>()
        let log = Log<Int>()
        for _ in 0..<others { elsewhere.onSuccess(context: immediate, cancelToken: token) { _ in } }
        for _ in 0..<50 { future.onSuccess(context: immediate) { log.add($0) } }
        for _ in 0..<3 { future.onSuccess(context: immediate, cancelToken: token) { log.add(-$0) } }
        #expect(future.cancel(token))
        #expect(token.registrationCount == others)
        #expect(future.observerCount == 50)
        future.success(1)
        #expect(log.all == Array(repeating: 1, count: 50))
    }

    @Test(arguments: [1, 100])
    func `dispatched callbacks that have not begun are unsubscribed too`(others: Int) {
        let token = CancelToken()
        let elsewhere = Future<Int>()
        for _ in 0..<others { elsewhere.onSuccess(context: immediate, cancelToken: token) { _ in } }
        let context = ManualContext()
        let log = Log<Int>()
        let future = Future(value: 1)
        future.onSuccess(context: context, cancelToken: token) { log.add($0) }
        let derived = future.map(context: context, cancelToken: token) { $0 }
        let kept = future.map(context: context) { $0 }
        #expect(future.cancel(token))
        #expect(!future.cancel(token))
        #expect(derived.isCancelled)
        context.run()
        #expect(log.count == 0)
        #expect(kept.ended == .success(1))
    }

    @Test func `a callback that has run can no longer be unsubscribed`() {
        let token = CancelToken()
        let future = Future(value: 1)
        let derived = future.map(context: immediate, cancelToken: token) { $0 }
        #expect(!future.cancel(token))
        #expect(derived.ended == .success(1))
    }

    @Test func `only the token reaches the second half of a flatMap`() {
        let token = CancelToken()
        let inner = Future<Int>()
        let source = Future(value: 1)
        let derived = source.flatMap(context: immediate, cancelToken: token) { _ in inner }
        #expect(!source.cancel(token))
        #expect(derived.ended == .pending)
        token.cancel()
        #expect(derived.isCancelled)
        #expect(inner.ended == .pending)
        #expect(inner.observerCount == 0)
    }

    @Test func `it can be called inside a callback`() {
        let token = CancelToken()
        let future = Future<Int>()
        let log = Log<String>()
        future.onSuccess(context: immediate) { _ in log.add(future.cancel(token) ? "detached" : "nothing") }
        future.onSuccess(context: immediate, cancelToken: token) { _ in log.add("callback") }
        future.success(1)
        #expect(log.all == ["detached"])
    }

    @Test func `its result can be ignored, as in code for SimpleFutures 0.2`() {
        let future = Future<Int>()
        future.cancel(CancelToken())
        _ = future.cancel(CancelToken())
    }

    @Test func `captures are released at once`() {
        let token = CancelToken()
        let future = Future<Int>()
        let watch = Watch { probe in
            future.onSuccess(context: immediate, cancelToken: token) { _ in probe.use() }
        }
        future.cancel(token)
        #expect(watch.isReleased)
    }
}
