import SimpleFutures
import Testing
@testable import TestSupport

// The tests are synchronous functions, because `wait` must not be called in async code.
@Suite("wait", .watchdog)
struct WaitTests {
    @Test func `for a future that has ended it returns the value or throws the error, and the value can be ignored`()
        throws
    {
        #expect(try Future(value: 3).wait() == 3)
        #expect(try Future(value: 3).wait(timeout: .zero) == 3)
        try Future(value: 3).wait()
        #expect(throws: Oops.source) { try Future<Int>(error: Oops.source).wait() }
        #expect(throws: Oops.source) { try Future<Int>(error: Oops.source).wait(timeout: .seconds(-1)) }
        let token = CancelToken()
        token.cancel()
        let cancelled = Future(value: 1).map(context: immediate, cancelToken: token) { $0 }
        #expect(throws: CancellationError.self) { try cancelled.wait() }
    }

    @Test(arguments: Source.Ending.allCases, [Duration?.none, .seconds(20), .seconds(Int64.max)])
    func `wait blocks until there is a result`(ending: Source.Ending, timeout: Duration?) {
        let (promise, token) = (Box<Promise<Int>?>(Promise()), CancelToken())
        let future = promise.value!.future.map(context: immediate, cancelToken: token) { $0 }
        SerialContext().execute {
            switch ending {
            case .success: promise.value?.success(1)
            case .failure: promise.value?.failure(Oops.source)
            case .cancellation: token.cancel()
            case .breach: promise.value = nil
            }
        }
        let expected = ending == .cancellation ? .failure(CancellationError()) : ending.passedOn(success: .success(1))
        #expect(Outcome(Try { try future.wait(timeout: timeout) }) == expected)
        #expect(future.observerCount == 0)
    }

    @Test(arguments: [Duration.zero, .milliseconds(1), .seconds(-1)])
    func `after the timeout it throws timedOut, and leaves nothing registered`(timeout: Duration) {
        let future = Future<Int>()
        let error = #expect(throws: FuturesError.timedOut) { try future.wait(timeout: timeout) }
        #expect(error?.description.contains("within \(timeout)") == true)
        #expect(future.observerCount == 0)
        future.success(1)
        #expect(throws: Never.self) { try future.wait(timeout: timeout) }
    }

    // `WaitInCallbackTests` tests the other work that a wait inside a callback runs.

    @Test func `inside a handler of a token it runs deferred callbacks`() throws {
        let (token, log) = (CancelToken(), Log<Int>())
        token.onCancel {
            let source = Future<Int>()
            let derived = source.map(context: immediate) { $0 }
            source.success(1)
            if let value = try? derived.wait(timeout: .seconds(600)) { log.add(value) }
        }
        token.cancel()
        #expect(log.all == [1])
    }
}

/// The package's hooks that the bridge to Swift concurrency uses.
@Suite("Waiters on futures", .watchdog)
struct WakerTests {
    private let future = Future<Int>()
    private let log = Log<String>()

    private func waker(_ wake: @escaping @Sendable (UInt) -> Void) -> Waker {
        let waker = Waker()
        waker.set(7, wake)
        return waker
    }

    @Test(arguments: Source.Ending.allCases, [0, 1])
    func `a waiter is called for every end, once, alone or among others, finds it settled, and can register callbacks`(
        ending: Source.Ending, others: Int
    ) {
        let (source, log) = (Source(), log)
        let future = source.future
        let waker = waker { [weak future] word in
            log.add(future?.phase == .pending ? "pending" : "settled \(word)")
            future?.onComplete(context: immediate) { _ in log.add("called") }
            future?.onCancel(context: immediate) { log.add("called") }
        }
        for _ in 0..<others { future.onComplete(context: immediate) { _ in } }
        #expect(future.add(waker))
        #expect(future.observerCount == 1 + others)
        source.end(ending)
        #expect(log.all == ["settled 7", "called"])
        #expect(!future.remove(waker))
        #expect(future.observerCount == 0)
    }

    @Test func `it is not called if it is added too late, or removed before the end or before it is added`() {
        let (late, removed, unused, ended) = (Waker(), Waker(), Waker(), Future(value: 1))
        for waker in [late, removed, unused] { waker.set { [log] _ in log.add("called") } }
        #expect(!ended.remove(late) && !late.wasRemoved)
        #expect(!ended.add(late))
        #expect(future.add(removed))
        #expect(future.remove(removed))
        #expect(!future.remove(removed))
        #expect(future.observerCount == 0)
        #expect(!future.remove(unused))
        #expect(!future.add(unused))
        future.success(1)
        #expect(log.all == [])
    }

    @Test func `it is called inside a callback of another future`() {
        let (outer, waker) = (Future<Int>(), waker { [log] _ in log.add("woken") })
        #expect(future.add(waker))
        outer.onSuccess(context: immediate) { [future, log] _ in
            future.success(1)
            log.add("returned")
        }
        outer.success(1)
        #expect(log.all == ["woken", "returned"])
    }
}
