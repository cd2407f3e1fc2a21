import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Programmer errors: tokens and deinit", .watchdog)
struct TokenFaultTests {
    @Test func `a handler that cancels its own token, and drops it, runs once`() {
        let token = Box<CancelToken?>(CancelToken())
        let log = Log<Int>()
        token.value?.onCancel {
            log.add(1)
            token.value?.cancel()
            token.value = nil
        }
        token.value?.onCancel { log.add(2) }
        token.value?.cancel()
        #expect(log.all == [1, 2])
    }

    @Test func `canceling none in a handler, or a handler of none, has no effect`() {
        let token = CancelToken()
        let future = Future<Int>()
        let derived = future.map(context: immediate) { $0 }
        token.onCancel {
            CancelToken.none.cancel()
            CancelToken.none.onCancel { Issue.record("none was cancelled") }
        }
        token.cancel()
        #expect(!CancelToken.none.isCancelled)
        future.success(1)
        #expect(derived.ended == .success(1))
    }

    @Test func `a canceled token stays canceled: later registrations never run`() {
        let token = CancelToken()
        token.cancel()
        let log = Log<Int>()
        Future(value: 1).onSuccess(context: immediate, cancelToken: token) { log.add($0) }
        FutureStream(value: 1).onSuccess(context: immediate, cancelToken: token) { log.add($0) }
        #expect(Future(value: 1).map(context: immediate, cancelToken: token) { $0 }.isCancelled)
        #expect(log.all.isEmpty)
    }

    /// An object that registers callbacks on its futures when it is released.
    private final class Owner: Sendable {
        let future = Future<Int>()
        let promise = Promise<Int>()
        let stream = FutureStream<Int>()
        let token = CancelToken()
        let heard: Log<String>

        init(_ heard: Log<String>) { self.heard = heard }

        deinit {
            let heard = heard
            future.onFailure(context: immediate) { _ in heard.add("future broken") }
            promise.future.onFailure(context: immediate) { _ in heard.add("promise broken") }
            stream.onFinish(context: immediate) { heard.add("stream finished") }
            token.onCancel { heard.add("never") }
            _ = future.map(context: immediate, cancelToken: token) { $0 }
        }
    }

    @Test func `a callback registered in a deinit gets the result`() {
        let heard = Log<String>()
        do { _ = Owner(heard) }
        #expect(Set(heard.all) == ["future broken", "promise broken", "stream finished"])
    }
}
