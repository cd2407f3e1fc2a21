import SimpleFutures
import Testing
@testable import TestSupport

@Suite("CancelToken: references", .watchdog)
struct CancelTokenReleaseTests {
    @Test(arguments: [Try<Int>.success(1), .failure(Oops.source)])
    func `registrations of retry, timeout and delay are removed when they end`(end: Try<Int>) {
        let token = CancelToken()
        let manual = ManualContext()
        let promise = Promise<Int>()
        let parts = [
            promise.future.timeout(.seconds(1), context: manual, cancelToken: token.child()),
            promise.future.delay(.seconds(1), context: manual, cancelToken: token.child()),
            Future.retry(2, delay: .seconds(1), context: manual, cancelToken: token.child()) { promise.future },
            Future.after(.seconds(1), 1, context: manual, cancelToken: token.child()),
        ]
        manual.run()
        #expect(token.registrationCount == 4)
        promise.complete(end)
        manual.advance(by: .seconds(2))
        #expect(parts.allSatisfy { $0.completed })
        #expect(token.registrationCount == 0 && manual.pendingCount == 0)
    }

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

    // MARK: Trees

    @Test(arguments: [true, false])
    func `a dropped token is held by all its parents until its handler has run or was removed`(isTakenAway: Bool) {
        let root = CancelToken()
        let log = Log<Int>()
        var registration = Registration()
        let watch = Watch { probe in
            let bottom = CancelToken(anyOf: root.child(), root.child(), root, root)
            registration = bottom.onCancel {
                probe.use()
                log.add(1)
            }
        }
        #expect(root.registrationCount == 4)
        if isTakenAway { #expect(registration.cancel()) } else { root.cancel() }
        #expect(root.registrationCount == 0)
        #expect(watch.isReleased)
        #expect(log.count == (isTakenAway ? 0 : 1))
    }

    @Test func `handlers dropped inside a callback are released when it returns`() {
        let watch = Box<Watch?>(nil)
        Future(value: 1).onSuccess(context: immediate) { _ in
            watch.value = Watch { probe in CancelToken().child().onCancel { probe.use() } }
        }
        #expect(watch.value?.isReleased == true)
    }
}
