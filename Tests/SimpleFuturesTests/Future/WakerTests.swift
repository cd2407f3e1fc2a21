import SimpleFutures
import Testing
@testable import TestSupport

/// The package's hooks that the bridge to Swift concurrency uses.
@Suite("Waiters on futures", .watchdog)
struct WakerTests {
    @Test(arguments: Source.Ending.allCases, [0, 1])
    func `a waiter is called for every end, once, alone or among others`(ending: Source.Ending, others: Int) {
        let source = Source()
        let log = Log<UInt>()
        let waker = Waker()
        waker.set(7) { log.add($0) }
        for _ in 0..<others { source.future.onComplete(context: ImmediateContext()) { _ in } }
        #expect(source.future.add(waker))
        #expect(source.future.observerCount == 1 + others)
        source.end(ending)
        #expect(log.all == [7])
        #expect(!source.future.remove(waker))
        #expect(source.future.observerCount == 0)
    }

    @Test(arguments: Source.Ending.allCases)
    func `a resumed waiter finds the future settled, and callbacks can register again`(ending: Source.Ending) {
        let source = Source()
        let log = Log<String>()
        let waker = Waker()
        let future = source.future
        waker.set { [weak future] _ in
            log.add(future?.phase == .pending ? "pending" : "settled")
            future?.onComplete(context: ImmediateContext()) { _ in log.add("called") }
            future?.onCancel(context: ImmediateContext()) { log.add("called") }
        }
        #expect(source.future.add(waker))
        source.end(ending)
        #expect(log.all == ["settled", "called"])
    }

    @Test func `it is not added to a settled future`() {
        let log = Log<Void>()
        let waker = Waker()
        waker.set { _ in log.add(()) }
        #expect(!Future(value: 1).add(waker))
        #expect(log.count == 0)
    }

    @Test func `after its removal it is not called`() {
        let future = Future<Int>()
        let log = Log<Void>()
        let waker = Waker()
        waker.set { _ in log.add(()) }
        #expect(future.add(waker))
        #expect(future.remove(waker))
        #expect(!future.remove(waker))
        #expect(future.observerCount == 0)
        future.success(1)
        #expect(log.count == 0)
    }

    @Test func `removed before it is added, it is never added`() {
        let future = Future<Int>()
        let waker = Waker()
        waker.set { _ in Issue.record("called") }
        #expect(!future.remove(waker))
        #expect(!future.add(waker))
        future.success(1)
    }

    @Test func `it can be removed from the middle`() {
        let future = Future<Int>()
        let log = Log<UInt>()
        let wakers = (0..<5).map { number in
            let waker = Waker()
            waker.set(UInt(number)) { log.add($0) }
            return waker
        }
        for waker in wakers { #expect(future.add(waker)) }
        for index in [2, 0, 4] { #expect(future.remove(wakers[index])) }
        future.success(1)
        #expect(log.all == [1, 3])
    }

    @Test func `it is called inside a callback of another future`() {
        let (outer, inner) = (Future<Int>(), Future<Int>())
        let log = Log<String>()
        let waker = Waker()
        waker.set { _ in log.add("woken") }
        #expect(inner.add(waker))
        outer.onSuccess(context: ImmediateContext()) { _ in
            inner.success(1)
            log.add("returned")
        }
        outer.success(1)
        #expect(log.all == ["woken", "returned"])
    }

    @Test func `it releases its closure after the call`() {
        let future = Future<Int>()
        let waker = Waker()
        weak var held: Future<Int>?
        do {
            let captive = Future<Int>()
            held = captive
            waker.set { _ in withExtendedLifetime(captive) {} }
        }
        #expect(future.add(waker))
        #expect(held != nil)
        future.success(1)
        #expect(held == nil)
    }
}
