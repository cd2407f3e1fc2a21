import SimpleFutures
import Testing
@testable import TestSupport

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
        let (late, removed, unused) = (Waker(), Waker(), Waker())
        for waker in [late, removed, unused] { waker.set { [log] _ in log.add("called") } }
        #expect(!Future(value: 1).add(late))
        #expect(future.add(removed))
        #expect(future.remove(removed))
        #expect(!future.remove(removed))
        #expect(future.observerCount == 0)
        #expect(!future.remove(unused))
        #expect(!future.add(unused))
        future.success(1)
        #expect(log.all == [])
    }

    @Test func `it can be removed from the middle`() {
        let wakers = (0..<5).map { number in waker { [log] _ in log.add("\(number)") } }
        for waker in wakers { #expect(future.add(waker)) }
        for index in [2, 0, 4] { #expect(future.remove(wakers[index])) }
        future.success(1)
        #expect(log.all == ["1", "3"])
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
