import SimpleFutures
import Testing
@testable import TestSupport

@Suite("CancelToken: references", .watchdog)
struct CancelTokenReleaseTests {
    @Test(arguments: Source.Ending.allCases)
    func `registrations are removed when the work ends`(ending: Source.Ending) {
        let token = CancelToken()
        let source = Source()
        let future = source.future
        future.onComplete(context: immediate, cancelToken: token) { _ in }
        future.onSuccess(context: immediate, cancelToken: token) { _ in }
        future.onFailure(context: immediate, cancelToken: token) { _ in }
        let derived: [AnyFuture] = [
            future.map(context: immediate, cancelToken: token) { "\($0)" },
            future.flatMap(context: immediate, cancelToken: token) { Future(value: $0) },
            future.recover(context: immediate, cancelToken: token) { _ in 2 },
            future.recoverWith(context: immediate, cancelToken: token) { _ in Future(value: 2) },
            future.mapError(context: immediate, cancelToken: token) { $0 },
            future.timeout(.seconds(1), context: ManualContext(), cancelToken: token),
        ]
        #expect(token.registrationCount == 9)
        source.end(ending)
        #expect(token.registrationCount == 0)
        token.cancel()
        #expect(derived.allSatisfy { $0.isCancelled == (ending == .cancellation) })
    }

    @Test func `registrations on a released future are removed`() {
        let token = CancelToken()
        var source: Future<Int>? = Future()
        let derived = source?.map(context: immediate, cancelToken: token) { $0 }
        #expect(token.registrationCount == 1)
        source = nil
        #expect(token.registrationCount == 0)
        #expect(derived?.ended == .broken)
    }

    @Test func `registrations dropped by their context are removed`() {
        let token = CancelToken()
        let derived = Future(value: 1).map(context: DroppingContext(), cancelToken: token) { $0 }
        #expect(token.registrationCount == 0)
        #expect(derived.ended == .broken)
    }

    @Test func `the second half of a flatMap is one registration, which is removed at the end`() {
        let token = CancelToken()
        let inner = Future<Int>()
        let derived = Future(value: 1).flatMap(context: immediate, cancelToken: token) { _ in inner }
        #expect(token.registrationCount == 1)
        inner.success(2)
        #expect(token.registrationCount == 0)
        #expect(derived.ended == .success(2))
    }

    @Test func `many short-lived registrations leave nothing behind`() {
        let token = CancelToken()
        let log = Log<Int>()
        for number in 0..<1000 {
            Future(value: number).onSuccess(context: immediate, cancelToken: token) { log.add($0) }
            token.onCancel {}.cancel()
        }
        #expect(log.count == 1000)
        #expect(token.registrationCount == 0)
    }

    @Test func `captures are released when the token is canceled`() {
        let token = CancelToken()
        let future = Future<Int>()
        let context = ManualContext()
        let waiting = Watch { probe in
            future.onSuccess(context: immediate, cancelToken: token) { _ in probe.use() }
        }
        let dispatched = Watch { probe in
            Future(value: 1).onSuccess(context: context, cancelToken: token) { _ in probe.use() }
        }
        #expect(!waiting.isReleased)
        #expect(!dispatched.isReleased)
        token.cancel()
        #expect(waiting.isReleased)
        #expect(dispatched.isReleased)
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

    @Test func `a token without references is released together with its handlers`() {
        var token: CancelToken? = CancelToken()
        weak let weakToken = token
        let watch = Watch { probe in token?.onCancel { probe.use() } }
        #expect(!watch.isReleased)
        token = nil
        #expect(weakToken == nil)
        #expect(watch.isReleased)
    }

    @Test func `a token with a handler is released with the future that holds it`() {
        weak var weakToken: CancelToken?
        let watch = Watch { probe in
            let future = Future<Int>()
            let token = CancelToken()
            weakToken = token
            token.onCancel { probe.use() }
            future.onSuccess(context: immediate, cancelToken: token) { _ in }
            future.success(1)
        }
        #expect(weakToken == nil)
        #expect(watch.isReleased)
    }

    @Test func `a registration does not keep a handler alive that has run`() {
        let token = CancelToken()
        var registrations: [Registration] = []
        let watch = Watch { probe in registrations.append(token.onCancel { probe.use() }) }
        token.cancel()
        #expect(watch.isReleased)
        #expect(registrations.allSatisfy { !$0.cancel() })
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
}
