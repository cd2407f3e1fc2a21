import SimpleFutures
import Testing
@testable import TestSupport

@Suite("CancelToken", .watchdog)
struct CancelTokenTests {
    private let token = CancelToken()

    @Test func `a cancellation unsubscribes what was registered with the token, and nothing else`() {
        let other = CancelToken()
        let sources = (0..<10).map { _ in Future<Int>() }
        let log = Log<String>()
        for source in sources {
            source.onComplete(context: immediate, cancelToken: token) { _ in log.add("onComplete") }
            source.onSuccess(context: immediate, cancelToken: token) { _ in log.add("onSuccess") }
            source.onFailure(context: immediate, cancelToken: token) { _ in log.add("onFailure") }
            source.onSuccess(context: immediate) { _ in log.add("without a token") }
            source.onSuccess(context: immediate, cancelToken: other) { _ in log.add("with another one") }
        }
        let derived = sources.map { $0.map(context: immediate, cancelToken: token) { $0 } }
        let kept = sources.map { $0.map(context: immediate, cancelToken: other) { $0 } }
        #expect(token.registrationCount == 40)
        token.cancel()
        #expect(derived.allSatisfy { $0.isCancelled } && !other.isCancelled)
        #expect(token.registrationCount == 0)
        #expect(sources.allSatisfy { $0.observerCount == 3 && $0.ended == .pending })
        for source in sources { source.success(1) }
        #expect(log.all == (0..<10).flatMap { _ in ["without a token", "with another one"] })
        #expect(kept.allSatisfy { $0.ended == .success(1) })
        #expect(derived.allSatisfy { $0.ended == .cancelled })
    }

    @Test(arguments: [true, false])
    func `dispatched callbacks that have not begun are unsubscribed, even by a callback on their context`(
        isInside: Bool
    ) {
        let context = ManualContext()
        let log = Log<String>()
        let future = Future<Int>()
        if isInside { future.onSuccess(context: context) { _ in token.cancel() } }
        let derived = [token, token.child()].map { token in
            future.onSuccess(context: context, cancelToken: token) { _ in log.add("detached") }
            return future.map(context: context, cancelToken: token) { $0 }
        }
        future.onSuccess(context: context) { _ in log.add("other") }
        future.success(1)
        #expect(context.pendingCount == (isInside ? 6 : 5))
        if !isInside {
            token.cancel()
            #expect(derived.allSatisfy { $0.isCancelled })
        }
        context.run()
        #expect(derived.allSatisfy { $0.isCancelled })
        #expect(log.all == ["other"])
    }

    @Test func `a callback can cancel its own token`() {
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

    @Test func `none is never canceled, and holds neither callbacks nor handlers`() {
        let future = Future<Int>()
        let log = Log<Int>()
        let callback = Watch { probe in
            future.onSuccess(context: immediate, cancelToken: .none) {
                probe.use()
                log.add($0)
            }
        }
        let handler = Watch { probe in
            let registration = CancelToken.none.onCancel {
                probe.use()
                log.add(-1)
            }
            #expect(!registration.cancel())
        }
        #expect(handler.isReleased)
        #expect(CancelToken.none.registrationCount == 0)
        CancelToken.none.cancel()
        #expect(!CancelToken.none.isCancelled)
        #expect(!future.cancel(.none))
        future.success(1)
        #expect(log.all == [1])
        #expect(callback.isReleased)
    }

    @Test func `tokens and completion ids are compared by identity`() {
        #expect(Set([token, token, CancelToken(), .none, .none]).count == 3)
        #expect(token == token && token != token.child())
        let ids = (0..<100).map { _ in CompletionId() }
        #expect(Set(ids).count == 100)
        let copy = ids[0]
        #expect(copy == ids[0])
    }
}

@Suite("CancelToken.onCancel", .watchdog)
struct CancelTokenHandlerTests {
    private let token = CancelToken()

    @Test(arguments: [1, 2])
    func `once the token is canceled no callback of a stream runs, even before it is unsubscribed`(count: Int) {
        let (source, stream, heard, token) = (Future<Int>(), FutureStream<Int>(capacity: 0), Log<Int>(), token)
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        for _ in 0..<count { stream.onSuccess(context: immediate, cancelToken: token) { heard.add($0) } }
        // Called between the two: the token cancels in the order of registration.
        let waker = Waker()
        waker.set { _ in #expect(returns { stream.success(1) }) }
        #expect(derived.add(waker))
        token.cancel()
        #expect(derived.isCancelled && heard.all.isEmpty)
    }

    @Test func `handlers run once, in order, on the thread that cancels, after onCancel, and later ones at once`() {
        let (source, log) = (Future<Int>(), Log<Int>())
        for number in 1...4 { token.onCancel { log.add(number) } }
        source.map(context: immediate, cancelToken: token) { $0 }.onCancel(context: immediate) { log.add(0) }
        #expect(log.all == [] && !token.isCancelled)
        token.cancel()
        #expect(log.all == [0, 1, 2, 3, 4] && token.isCancelled)
        token.cancel()
        #expect(log.all == [0, 1, 2, 3, 4] && token.isCancelled)
        let late = token.onCancel { log.add(5) }
        #expect(log.all == [0, 1, 2, 3, 4, 5])
        #expect(!late.cancel())
        source.success(1)
    }
}

@Suite("CancelToken: references", .watchdog)
struct CancelTokenReleaseTests {
    @Test func `dropping the token does not unsubscribe callbacks`() {
        let log = Log<Int>()
        let future = Future<Int>()
        var token: CancelToken? = CancelToken()
        weak let weakToken = token
        future.onSuccess(context: immediate, cancelToken: token ?? .none) { log.add($0) }
        let derived = future.map(context: immediate, cancelToken: token ?? .none) { $0 }
        token = nil
        future.success(1)
        #expect(log.all == [1])
        #expect(derived.ended == .success(1))
        #expect(weakToken == nil)
    }

    @Test func `an owned token is canceled with its owner, and by its parent`() {
        let parent = CancelToken()
        var owner: OwnedToken? = OwnedToken()
        let token = owner!.token
        #expect(!token.isCancelled)
        owner = nil
        #expect(token.isCancelled)
        let child = OwnedToken(parent: parent)
        parent.cancel()
        #expect(child.token.isCancelled)
        let other = OwnedToken()
        other.cancel()
        #expect(other.token.isCancelled)
    }

    @Test func `handlers dropped inside a callback are released when it returns`() {
        let watch = Box<Watch?>(nil)
        Future(value: 1).onSuccess(context: immediate) { _ in
            watch.value = Watch { probe in CancelToken().child().onCancel { probe.use() } }
        }
        #expect(watch.value?.isReleased == true)
    }
}
