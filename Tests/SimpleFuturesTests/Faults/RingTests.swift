import SimpleFutures
import Testing
@testable import TestSupport

// Futures that are told to complete with each other all end with the first one that ends. Until then they keep each
// other alive, because one of them might still be completed.

@Suite("Programmer errors: futures that wait for each other", .watchdog)
struct RingTests {
    /// Tells each promise to complete with the next one, and the last one with the first.
    private func close(_ promises: [Promise<Int>]) {
        for (index, promise) in promises.enumerated() {
            promise.completeWith(future: promises[(index + 1) % promises.count].future)
        }
    }

    @Test(arguments: [2, 3, 1_000])
    func `completing one future of a cycle completes all, and the cycle is released`(count: Int) {
        var promises: [Promise<Int>] = []
        let watches = (0..<count).map { _ in
            Watch { probe in
                let promise = Promise<Int>()
                promise.future.onComplete(context: immediate) { _ in probe.use() }
                promises.append(promise)
            }
        }
        close(promises)
        let futures = promises.map(\.future)
        promises[count / 2].success(7)
        #expect(futures.allSatisfy { $0.ended == .success(7) })
        #expect(futures.allSatisfy { $0.observerCount == 0 })
        #expect(watches.allSatisfy { $0.isReleased })
    }

    @Test(arguments: [2, 3, 1_000])
    func `a cycle whose promises were released stays pending, and in memory, until one of its futures is completed`(
        count: Int
    ) {
        let last = WeakFuture()
        let ends = Log<Outcome<Int>>()
        var first: Future<Int>? = {
            let promises = (0..<count).map { _ in Promise<Int>() }
            close(promises)
            last.future = promises[count - 1].future
            for promise in promises { promise.future.onComplete(context: immediate) { ends.add(Outcome($0)) } }
            return promises[0].future
        }()
        let clock = ManualContext()
        let late = first?.timeout(.seconds(1), context: clock)
        clock.advance(by: .seconds(1))
        #expect(late?.ended == .failure(FuturesError.timedOut))
        #expect(last.future?.ended == .pending)
        #expect(ends.all == [])
        first?.failure(Oops.other)
        #expect(ends.all == Array(repeating: .failure(Oops.other), count: count))
        #expect(first?.observerCount == 0)
        first = nil
        #expect(last.future == nil)
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
}

private final class WeakFuture {
    weak var future: Future<Int>?
}

// Streams that are told to complete with each other would pass the first element around forever.

@Suite("Programmer errors: streams that emit into each other", .watchdog)
struct StreamRingTests {
    @Test(arguments: [2, 3, 15])
    func `the link that would close a cycle is rejected with an error element, and the others stay`(count: Int) {
        let promises = (0..<count).map { _ in StreamPromise<Int>() }
        let streams = promises.map(\.stream)
        for (index, promise) in promises.enumerated() { promise.completeWith(stream: streams[(index + 1) % count]) }
        let refusal = Heard<Int>.failure(FuturesError.invalidCompletion)
        // The last stream was to take elements from the first, to which its own elements already go.
        #expect(streams[count - 1].state == [refusal])
        #expect(streams[0].state == [refusal])
        promises[count - 1].success(1)
        promises[0].success(2)
        #expect(streams[0].state == [refusal, 1, 2])
        #expect(streams[count - 1].state == [refusal, 1])
        promises.forEach { $0.finish() }
        #expect(streams.allSatisfy { $0.core.subscriberCount == 0 })
    }

    @Test func `a stream cannot complete with a merge of itself`() {
        let stream = FutureStream<Int>()
        let merged = stream.merge(FutureStream())
        stream.completeWith(stream: merged)
        stream.success(1)
        #expect(stream.state == [.failure(FuturesError.invalidCompletion), 1])
        #expect(merged.state == stream.state)
    }

    @Test func `rejected streams are released`() {
        let watch = Watch { probe in
            let one = FutureStream<Int>(capacity: 0)
            let two = FutureStream<Int>(capacity: 0)
            one.onSuccess(context: immediate) { _ in probe.use() }
            one.completeWith(stream: two)
            two.completeWith(stream: one)
        }
        #expect(watch.isReleased)
    }

    @Test func `streams outside a cycle can share sources, and have futures among them`() {
        let (source, future) = (FutureStream<Int>(), Future<Int>())
        let (left, right, end) = (FutureStream<Int>(), FutureStream<Int>(), FutureStream<Int>())
        source.completeWith(future: future)
        for stream in [left, right] { stream.completeWith(stream: source) }
        for stream in [left, right, source] { end.completeWith(stream: stream) }
        future.success(1)
        #expect(end.state == [1, 1, 1])
    }

    @Test func `after a link was removed, a cycle can be closed elsewhere`() {
        let (one, between, two) = (FutureStream<Int>(), FutureStream<Int>(), FutureStream<Int>())
        between.completeWith(stream: one)
        two.completeWith(stream: between)
        between.finish()
        one.completeWith(stream: two)
        two.success(1)
        #expect(one.state == [1])
        #expect(two.state == [1])
    }

    @Test func `a cycle is found although many futures lead to its streams`() {
        let (one, two, pending) = (FutureStream<Int>(), FutureStream<Int>(), Promise<Int>())
        for stream in [one, two] { for _ in 0..<100 { stream.completeWith(future: pending.future) } }
        one.completeWith(stream: two)
        two.onSuccess(context: immediate) { _ in }
        two.completeWith(stream: one)
        #expect(two.futures.last?.result?.error as? FuturesError == .invalidCompletion)
        one.finish()
        two.finish()
        pending.success(1)
    }

    @Test func `a cycle through a closure ends if elements are dropped`() {
        let stream = FutureStream<Int>()
        stream.completeWith(stream: stream.map(context: immediate) { $0 + 1 }.take(3))
        stream.success(1)
        #expect(stream.state == [1, 2, 3, 4])

        let other = FutureStream<Int>()
        other.completeWith(stream: other.compactMap(context: immediate) { $0 < 3 ? $0 + 1 : nil })
        other.success(1)
        #expect(other.state == [1, 2, 3])
    }

    @Test func `linking a long chain, or a stream with many sources, has a constant cost per link`() {
        let row = (0..<4_000).map { _ in FutureStream<Int>(capacity: 1) }
        for (source, target) in zip(row, row.dropFirst()) {
            target.onSuccess(context: immediate) { _ in }
            target.completeWith(stream: source)
        }
        row[0].success(5)
        #expect(row[row.count - 1].state == [5])

        let hub = FutureStream<Int>(capacity: 1)
        for source in row { hub.completeWith(stream: source) }
        let listeners = (0..<4_000).map { _ in FutureStream<Int>(capacity: 1) }
        for listener in listeners {
            listener.onSuccess(context: immediate) { _ in }
            listener.completeWith(stream: hub)
        }
        #expect(hub.core.subscriberCount == listeners.count)
    }
}
