import SimpleFutures
import Testing
@testable import TestSupport

@Suite("CancelToken.onCancel", .watchdog)
struct CancelTokenHandlerTests {
    @Test func `handlers run once, in order, on the thread that cancels`() {
        let token = CancelToken()
        let log = Log<Int>()
        for number in 1...4 { token.onCancel { log.add(number) } }
        #expect(log.count == 0)
        token.cancel()
        #expect(log.all == [1, 2, 3, 4])
        token.cancel()
        #expect(log.all == [1, 2, 3, 4])
    }

    @Test func `a handler of a canceled token runs at once`() {
        let token = CancelToken()
        token.cancel()
        let log = Log<Int>()
        let registration = token.onCancel { log.add(1) }
        #expect(log.all == [1])
        #expect(!registration.cancel())
    }

    @Test func `handlers run after everything has been unsubscribed`() {
        let token = CancelToken()
        let source = Future<Int>()
        let one = source.map(context: immediate, cancelToken: token) { $0 }
        let log = Log<Bool>()
        token.onCancel { log.add(one.isCancelled) }
        let two = source.map(context: immediate, cancelToken: token) { $0 }
        token.onCancel { log.add(two.isCancelled && source.observerCount == 0 && token.isCancelled) }
        token.cancel()
        #expect(log.all == [true, true])
    }

    @Test func `everything is unsubscribed before the first callback runs`() {
        let token = CancelToken()
        let source = Future<Int>()
        let log = Log<Bool>()
        let derived = (0..<3).map { _ in source.map(context: immediate, cancelToken: token) { $0 } }
        derived[0].onCancel(context: immediate) { log.add(derived.allSatisfy { $0.isCancelled }) }
        token.cancel()
        #expect(log.all == [true])
    }

    @Test func `a handler can be removed`() {
        let token = CancelToken()
        let log = Log<Int>()
        let one = token.onCancel { log.add(1) }
        let two = token.onCancel { log.add(2) }
        #expect(token.registrationCount == 2)
        #expect(one.cancel())
        #expect(!one.cancel())
        #expect(token.registrationCount == 1)
        token.cancel()
        #expect(log.all == [2])
        #expect(!two.cancel())
    }

    @Test func `a handler can be removed by an earlier one`() {
        let token = CancelToken()
        let log = Log<Int>()
        let second = Lock<Registration>(Registration())
        token.onCancel {
            log.add(1)
            if second.withLock({ $0 }).cancel() { log.add(10) }
        }
        let registration = token.onCancel { log.add(2) }
        second.withLock { $0 = registration }
        token.onCancel { log.add(3) }
        token.cancel()
        #expect(log.all == [1, 10, 3])
    }

    @Test func `a handler can register another, cancel again, and use the future`() {
        let token = CancelToken()
        let log = Log<Int>()
        let future = Future<Int>()
        token.onCancel {
            log.add(1)
            token.cancel()
            token.onCancel { log.add(3) }
            future.success(4)
        }
        token.onCancel { log.add(2) }
        future.onSuccess(context: immediate) { log.add($0) }
        token.cancel()
        #expect(log.all.first == 1)
        #expect(Set(log.all) == [1, 2, 3, 4])
        #expect(log.count == 4)
    }

    @Test func `after a cancellation inside a callback, handlers run when the callback returns`() {
        let token = CancelToken()
        let log = Log<String>()
        token.onCancel { log.add("handler") }
        Future(value: 1).onSuccess(context: immediate) { _ in
            token.cancel()
            log.add("callback")
        }
        #expect(log.all == ["callback", "handler"])
    }

    @Test func `a handler can cancel another token`() {
        let outer = CancelToken()
        let inner = CancelToken()
        let log = Log<Int>()
        inner.onCancel { log.add(1) }
        outer.onCancel { inner.cancel() }
        outer.cancel()
        #expect(inner.isCancelled)
        #expect(log.all == [1])
    }

    @Test func `a handler that has run is released`() {
        let token = CancelToken()
        let watch = Watch { probe in token.onCancel { probe.use() } }
        #expect(!watch.isReleased)
        token.cancel()
        #expect(watch.isReleased)
        #expect(token.registrationCount == 0)
    }

    @Test func `a removed handler is released`() {
        let token = CancelToken()
        var registration = Registration()
        let watch = Watch { probe in registration = token.onCancel { probe.use() } }
        #expect(registration.cancel())
        #expect(watch.isReleased)
    }

    @Test func `dropping the registration does not remove the handler`() {
        let token = CancelToken()
        let log = Log<Int>()
        _ = token.onCancel { log.add(1) }
        token.cancel()
        #expect(log.all == [1])
    }

    @Test func `canceled from two threads, handlers run once`() async {
        for _ in 0..<200 {
            let token = CancelToken()
            let log = Log<Int>()
            for number in 1...3 { token.onCancel { log.add(number) } }
            await together({ token.cancel() }, { token.cancel() })
            #expect(log.all.sorted() == [1, 2, 3])
        }
    }

    @Test func `a handler added during the cancellation runs once`() async {
        for _ in 0..<200 {
            let token = CancelToken()
            let log = Log<Int>()
            await together({ token.cancel() }, { token.onCancel { log.add(1) } })
            #expect(log.all == [1])
        }
    }
}
