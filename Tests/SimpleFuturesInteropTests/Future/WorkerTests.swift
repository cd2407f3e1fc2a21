import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("A future keeps its task handle while it is pending", .watchdog)
struct WorkerTests {
    @Test(arguments: Ending.allCases)
    func `it is released when the future ends`(_ ending: Ending) {
        let (source, alive) = (Source(), Tally())
        source.future.keep(Captive(alive))
        #expect(alive.count == 1)
        #expect(source.future.hasWorker)
        source.end(ending)
        #expect(alive.count == 0)
        #expect(!source.future.hasWorker)
    }

    @Test func `it is released with a future that never ends`() {
        let alive = Tally()
        do {
            let future = Future<Int>()
            future.keep(Captive(alive))
            #expect(alive.count == 1)
        }
        #expect(alive.count == 0)
    }

    @Test func `another handle can replace it`() {
        let (first, second) = (Tally(), Tally())
        let future = Future<Int>()
        future.keep(Captive(first))
        future.keep(Captive(second))
        #expect(first.count == 0)
        #expect(second.count == 1)
        future.success(1)
        #expect(second.count == 0)
        #expect(future.result?.value == 1)
    }

    @Test(arguments: Ending.allCases)
    func `a future that has ended accepts no handle`(_ ending: Ending) {
        let (source, alive) = (Source(), Tally())
        source.end(ending)
        source.future.keep(Captive(alive))
        #expect(alive.count == 0)
        #expect(!source.future.hasWorker)
    }

    @Test func `values of every size can replace it`() {
        let alive = Tally()
        let (none, small, large) = (Future<Void>(), Future<[Int]>(), Future<Large>())
        for future in [none, small, large] as [AnyFuture] { future.keep(Captive(alive)) }
        none.success(())
        small.success([1, 2])
        large.success(Large(words: (1, 2, 3, 4)))
        #expect(alive.count == 0)
        #expect(small.result?.value == [1, 2])
        #expect(large.result?.value?.words.3 == 4)
    }

    @Test func `reading the handle races with the end`() async {
        for _ in 0..<Stress.rounds(500) {
            let (future, alive) = (Future<Int>(), Tally())
            future.keep(Captive(alive))
            await withTaskGroup { group in
                group.addTask { future.success(1) }
                group.addTask { future.withWorker { $0.captive.touch() } }
                group.addTask { future.keep(Captive(alive)) }
            }
            #expect(alive.count == 0)
            #expect(future.result?.value == 1)
        }
    }
}

/// Larger than a future's inline storage.
private struct Large: Sendable { let words: (Int, Int, Int, Int) }

extension AnyFuture {
    fileprivate func keep(_ captive: Captive) { setWorker(Worker(captive)) }

    fileprivate var hasWorker: Bool {
        var hasWorker = false
        withWorker { _ in hasWorker = true }
        return hasWorker
    }
}

extension Worker {
    fileprivate init(_ captive: Captive) {
        self.init(UInt(bitPattern: Unmanaged.passRetained(captive).toOpaque())) { word in
            Unmanaged<Captive>.fromOpaque(UnsafeRawPointer(bitPattern: word)!).release()
        }
    }

    fileprivate var captive: Captive {
        Unmanaged<Captive>.fromOpaque(UnsafeRawPointer(bitPattern: word)!).takeUnretainedValue()
    }
}
