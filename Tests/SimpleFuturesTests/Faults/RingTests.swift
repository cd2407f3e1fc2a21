import SimpleFutures
import Testing
@testable import TestSupport

// Futures that are told to complete with each other all end with the first one that ends. Until then they keep each
// other alive, because one of them might still be completed.

@Suite("Programmer errors: futures that wait for each other", .watchdog)
struct RingTests {
    @Test(arguments: [2, 3, 1_000])
    func `completing one future of a cycle completes all, and the cycle is released`(count: Int) {
        var promises: [Promise<Int>] = []
        let watches = (0..<count).map { _ in Watch { promises.append(ring($0)) } }
        for (index, promise) in promises.enumerated() {
            promise.completeWith(future: promises[(index + 1) % count].future)
        }
        let futures = promises.map(\.future)
        promises[count / 2].success(7)
        #expect(futures.allSatisfy { $0.ended == .success(7) })
        #expect(futures.allSatisfy { $0.observerCount == 0 })
        #expect(watches.allSatisfy { $0.isReleased })
    }

    /// A promise, an object that its callback holds, and nothing else.
    private func ring(_ probe: Probe) -> Promise<Int> {
        let promise = Promise<Int>()
        promise.future.onComplete(context: immediate) { _ in probe.use() }
        return promise
    }

    @Test(arguments: [2, 3, 1_000])
    func `a cycle whose promises were released stays pending until one of its futures is completed`(count: Int) {
        let futures = ring(of: count)
        let held = futures[0]
        #expect(futures.allSatisfy { $0.ended == .pending })
        let clock = ManualContext()
        let late = held.timeout(.seconds(1), context: clock)
        clock.advance(by: .seconds(1))
        #expect(late.ended == .failure(FuturesError.timedOut))
        held.failure(Oops.other)
        #expect(futures.allSatisfy { $0.ended == .failure(Oops.other) })
        #expect(futures.allSatisfy { $0.observerCount == 0 })
    }

    @Test(arguments: [2, 3, 1_000])
    func `a pending cycle stays in memory until one of its futures is completed`(count: Int) {
        let last = WeakFuture()
        var first: Future<Int>? = {
            let futures = ring(of: count)
            last.future = futures[count - 1]
            return futures[0]
        }()
        #expect(last.future?.ended == .pending)
        first?.success(1)
        first = nil
        #expect(last.future == nil)
    }

    private func ring(of count: Int) -> [Future<Int>] {
        let promises = (0..<count).map { _ in Promise<Int>() }
        for (index, promise) in promises.enumerated() {
            promise.completeWith(future: promises[(index + 1) % count].future)
        }
        return promises.map(\.future)
    }

    @Test func `a future told to complete with a future derived from it is a cycle too`() {
        let last = WeakFuture()
        var first: Future<Int>? = {
            let promise = Promise<Int>()
            let derived = promise.future.map(context: immediate) { $0 + 1 }
            promise.completeWith(future: derived)
            last.future = derived
            return promise.future
        }()
        #expect(first?.ended == .pending)
        first?.success(1)
        #expect(first?.ended == .success(1))
        first = nil
        #expect(last.future == nil)
    }

    @Test func `a future and a stream that wait for each other can be ended from either side`() {
        let stream = FutureStream<Int>()
        let future = Future<Int>()
        stream.completeWith(future: future)
        future.completeWith(stream: stream)
        #expect(future.ended == .pending)
        stream.success(1)
        #expect(future.ended == .success(1))
        #expect(stream.state == [1, 1])
        #expect(future.observerCount == 0)
        #expect(stream.core.subscriberCount == 0)
    }

    @Test func `a long cycle needs constant stack`() async {
        await #expect(processExitsWith: .success) {
            let isCompleted = onSmallStack {
                let futures = (0..<20_000).map { _ in Future<Int>() }
                for (index, future) in futures.enumerated() {
                    future.completeWith(future: futures[(index + 1) % futures.count])
                }
                futures[0].success(1)
                return futures.allSatisfy { $0.completed }
            }
            precondition(isCompleted)
        }
    }
}

private final class WeakFuture {
    weak var future: Future<Int>?
}
