import SimpleFutures
import Testing
@testable import TestSupport

/// The package's hooks that the bridge to Swift concurrency uses.
@Suite("Waiters on futures", .watchdog)
struct WakerTests {
    private let future = Future<Int>()
    private let waker = Waker()
    private let log = Log<String>()

    @Test(arguments: Source.Ending.allCases, [0, 1])
    func `a waiter is called for every end, once, alone or among others`(ending: Source.Ending, others: Int) {
        let (source, log) = (Source(), Log<UInt>())
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
        let (source, log) = (Source(), log)
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

    @Test func `it is not called if it is added too late, or removed before the end or before it is added`() {
        waker.set { [log] _ in log.add("called") }
        #expect(!Future(value: 1).add(waker))
        let removed = Waker()
        removed.set { [log] _ in log.add("called") }
        #expect(future.add(removed))
        #expect(future.remove(removed))
        #expect(!future.remove(removed))
        #expect(future.observerCount == 0)
        let unused = Waker()
        unused.set { [log] _ in log.add("called") }
        #expect(!future.remove(unused))
        #expect(!future.add(unused))
        future.success(1)
        #expect(log.all == [])
    }

    @Test func `it can be removed from the middle`() {
        let wakers = (0..<5).map { number in
            let waker = Waker()
            waker.set(UInt(number)) { [log] in log.add("\($0)") }
            return waker
        }
        for waker in wakers { #expect(future.add(waker)) }
        for index in [2, 0, 4] { #expect(future.remove(wakers[index])) }
        future.success(1)
        #expect(log.all == ["1", "3"])
    }

    @Test func `it is called inside a callback of another future`() {
        let outer = Future<Int>()
        waker.set { [log] _ in log.add("woken") }
        #expect(future.add(waker))
        outer.onSuccess(context: ImmediateContext()) { [future, log] _ in
            future.success(1)
            log.add("returned")
        }
        outer.success(1)
        #expect(log.all == ["woken", "returned"])
    }

    @Test func `it releases its closure after the call`() {
        let watch = Watch { probe in waker.set { _ in probe.use() } }
        #expect(future.add(waker))
        #expect(!watch.isReleased)
        future.success(1)
        #expect(watch.isReleased)
    }
}
