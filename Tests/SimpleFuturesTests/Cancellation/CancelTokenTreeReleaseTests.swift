import SimpleFutures
import Testing
@testable import TestSupport

@Suite("CancelToken: references in a tree", .watchdog)
struct CancelTokenTreeReleaseTests {
    @Test func `a dropped or canceled child is no longer held`() {
        let parent = CancelToken()
        var dropped: CancelToken? = parent.child()
        weak let weakToken = dropped
        let cancelled = parent.child()
        #expect(parent.registrationCount == 2)
        cancelled.cancel()
        #expect(parent.registrationCount == 1)
        dropped = nil
        #expect(parent.registrationCount == 0 && weakToken == nil)
    }

    @Test func `the handlers of a dropped child run when the parent is canceled, and are released`() {
        let parent = CancelToken()
        let log = Log<Int>()
        let watch = Watch { probe in
            let child = parent.child()
            for number in 1...3 {
                child.onCancel {
                    probe.use()
                    log.add(number)
                }
            }
        }
        #expect(parent.registrationCount == 1)
        #expect(!watch.isReleased)
        parent.cancel()
        #expect(log.all == [1, 2, 3])
        #expect(watch.isReleased)
    }

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

    @Test func `a dropped child between two held tokens still works`() {
        let root = CancelToken()
        let leaf = root.child().child().child()
        let log = Log<Int>()
        leaf.onCancel { log.add(1) }
        #expect(root.registrationCount == 1)
        root.cancel()
        #expect(leaf.isCancelled)
        #expect(log.all == [1])
    }

    @Test func `a chain without handlers is released with its last token`() {
        let root = CancelToken()
        var leaf: CancelToken? = root.child().child().child()
        #expect(root.registrationCount == 1)
        leaf = nil
        #expect(root.registrationCount == 0)
        withExtendedLifetime(leaf) {}
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

    @Test func `registrations with a dropped child are unsubscribed with the parent`() {
        let parent = CancelToken()
        let source = Future<Int>()
        let derived = source.map(context: immediate, cancelToken: parent.child()) { $0 }
        parent.cancel()
        #expect(derived.isCancelled && source.observerCount == 0)
    }

    @Test func `dropping a parent releases the handlers that only it could have run`() {
        var parent: CancelToken? = CancelToken()
        let other = CancelToken()
        let dropped = Watch { probe in parent?.child().child().onCancel { probe.use() } }
        let twice = Watch { probe in
            let any = CancelToken(anyOf: [parent, other].compactMap { $0 })
            any.onCancel { probe.use() }
        }
        var child = parent?.child()
        let kept = Watch { probe in child?.onCancel { probe.use() } }
        parent = nil
        #expect(dropped.isReleased)
        #expect(!twice.isReleased && !kept.isReleased)
        other.cancel()
        #expect(twice.isReleased)
        child = nil
        #expect(kept.isReleased)
    }

    @Test func `a child works after its parent was dropped`() {
        let log = Log<Int>()
        let child = CancelToken().child()
        let grandchild = child.child()
        child.onCancel { log.add(1) }
        grandchild.onCancel { log.add(2) }
        child.cancel()
        #expect(grandchild.isCancelled)
        #expect(log.all == [1, 2])
    }

    @Test func `handlers dropped inside a callback are released when it returns`() {
        let watch = Lock<Watch?>(nil)
        let log = Log<Bool?>()
        Future(value: 1).onSuccess(context: immediate) { _ in
            let new = Watch { probe in CancelToken().child().onCancel { probe.use() } }
            log.add(new.isReleased)
            watch.withLock { $0 = new }
        }
        #expect(watch.withLock { $0?.isReleased } == true)
        #expect(log.count == 1)
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

    @Test func `registrations of retry, timeout and delay are removed when they end`() {
        let token = CancelToken()
        let manual = ManualContext()
        for how in [Try<Int>.success(1), .failure(Oops.source)] {
            let promise = Promise<Int>()
            let parts = [
                promise.future.timeout(.seconds(1), context: manual, cancelToken: token.child()),
                promise.future.delay(.seconds(1), context: manual, cancelToken: token.child()),
                Future.retry(2, delay: .seconds(1), context: manual, cancelToken: token.child()) { promise.future },
                Future.after(.seconds(1), 1, context: manual, cancelToken: token.child()),
            ]
            manual.run()
            #expect(token.registrationCount == 4)
            promise.complete(how)
            manual.advance(by: .seconds(2))
            #expect(parts.allSatisfy { $0.completed })
            #expect(token.registrationCount == 0 && manual.pendingCount == 0)
        }
    }
}
