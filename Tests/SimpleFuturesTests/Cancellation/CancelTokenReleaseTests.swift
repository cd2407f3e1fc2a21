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

    @Test func `registrations on a released future are removed`() {
        let token = CancelToken()
        var source: Future<Int>? = Future()
        let derived = source?.map(context: immediate, cancelToken: token) { $0 }
        #expect(token.registrationCount == 1)
        source = nil
        #expect(token.registrationCount == 0)
        #expect(derived?.ended == .broken)
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

    @Test(arguments: 1...4)
    func `removing the last handler frees a chain of dropped children`(depth: Int) {
        let parent = CancelToken()
        var registrations: [Registration] = []
        do {
            var last = parent
            for _ in 0..<depth { last = last.child() }
            registrations = (0..<2).map { _ in last.onCancel {} }
        }
        #expect(parent.registrationCount == 1)
        #expect(registrations[0].cancel())
        #expect(parent.registrationCount == 1)
        #expect(registrations[1].cancel())
        #expect(parent.registrationCount == 0)
        #expect(registrations.allSatisfy { !$0.cancel() })
    }

    @Test(arguments: [true, false])
    func `a dropped diamond is held by all its paths until its handler is released`(isTakenAway: Bool) {
        let root = CancelToken()
        let log = Log<Int>()
        var registration = Registration()
        let watch = Watch { probe in
            let bottom = CancelToken(anyOf: root.child(), root.child(), root)
            registration = bottom.onCancel {
                probe.use()
                log.add(1)
            }
        }
        #expect(root.registrationCount == 3)
        if isTakenAway { #expect(registration.cancel()) } else { root.cancel() }
        #expect(root.registrationCount == 0)
        #expect(watch.isReleased)
        #expect(log.count == (isTakenAway ? 0 : 1))
    }

    @Test func `registrations hold a dropped child until their work ends`() {
        let parent = CancelToken()
        let promise = Promise<Int>()
        let other = Promise<Int>()
        do {
            let child = parent.child()
            promise.future.onSuccess(context: immediate, cancelToken: child) { _ in }
            other.future.onSuccess(context: immediate, cancelToken: child.child()) { _ in }
        }
        #expect(parent.registrationCount == 1)
        promise.success(1)
        #expect(parent.registrationCount == 1)
        other.success(1)
        #expect(parent.registrationCount == 0)
    }

    @Test func `handlers dropped inside a callback are released when it returns`() {
        let watch = Box<Watch?>(nil)
        Future(value: 1).onSuccess(context: immediate) { _ in
            watch.value = Watch { probe in CancelToken().child().onCancel { probe.use() } }
        }
        #expect(watch.value?.isReleased == true)
    }

    @Test func `a registration keeps neither handler nor token alive`() {
        var registrations: [Registration] = []
        let parent = CancelToken()
        weak var weakToken: CancelToken?
        let run = Watch { probe in
            let child = parent.child()
            weakToken = child
            registrations.append(child.onCancel { probe.use() })
        }
        let lost = Watch { probe in registrations.append(CancelToken().child().onCancel { probe.use() }) }
        #expect(weakToken == nil && lost.isReleased)
        parent.cancel()
        #expect(run.isReleased)
        #expect(registrations.allSatisfy { !$0.cancel() })
    }
}
