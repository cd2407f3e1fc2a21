import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A future keeps its worker while it is pending", .watchdog)
struct WorkerTests {
    @Test(arguments: Source.Ending.allCases)
    func `it is released when the future ends, and not kept after that`(_ ending: Source.Ending) {
        let (source, alive) = (Source(), Tally())
        source.future.keep(Captive(alive))
        #expect(alive.count == 1 && source.future.hasWorker)
        source.end(ending)
        for _ in 0..<2 {
            #expect(alive.count == 0 && !source.future.hasWorker)
            source.future.keep(Captive(alive))
        }
    }

    @Test func `it is released when another one replaces it, and with a future that never ends`() {
        let (first, second) = (Tally(), Tally())
        do {
            let future = Future<Int>()
            future.keep(Captive(first))
            #expect(first.count == 1)
            future.keep(Captive(second))
            #expect(first.count == 0 && second.count == 1)
        }
        #expect(second.count == 0)
    }

    @Test func `values of every size can replace it, before callbacks run`() {
        let (alive, left) = (Tally(), Log<Int>())
        let (none, small, large) = (Future<Void>(), Future<[Int]>(), Future<Large>())
        for future in [none, small, large] as [AnyFuture] { future.keep(Captive(alive)) }
        small.onSuccess(context: immediate) { _ in left.add(alive.count) }
        none.success(())
        small.success([1, 2])
        #expect(left.all == [1])
        large.success(Large(words: (1, 2, 3, 4)))
        #expect(alive.count == 0)
        #expect(small.result?.value == [1, 2])
        #expect(large.result?.value?.words.3 == 4)
    }

    @Test func `reading it races with the end`() async {
        for _ in 0..<Stress.rounds(500) {
            let (future, alive) = (Future<Int>(), Tally())
            future.keep(Captive(alive))
            await withTaskGroup { group in
                group.addTask { future.success(1) }
                group.addTask { future.touchKept() }
                group.addTask { future.keep(Captive(alive)) }
            }
            #expect(alive.count == 0 && future.result?.value == 1)
        }
    }
}

/// Larger than a future's inline storage.
private struct Large: Sendable { let words: (Int, Int, Int, Int) }

extension AnyFuture {
    /// Sets a worker that holds the captive.
    fileprivate func keep(_ captive: Captive) { setWorker(.upstream(Future(value: captive))) }

    fileprivate var hasWorker: Bool { worker != nil }

    fileprivate func touchKept() {
        if case .upstream(let kept) = worker { kept.future(of: Captive.self).result?.value?.touch() }
    }
}
