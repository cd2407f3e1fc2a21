import SimpleFutures
import Testing
@testable import TestSupport

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

    @Test func `a future among the sources is not part of a cycle`() {
        let (one, other, future) = (FutureStream<Int>(), FutureStream<Int>(), Future<Int>())
        one.completeWith(future: future)
        let log = Log<Int>()
        other.onSuccess(context: immediate) { log.add($0) }
        other.completeWith(stream: one)
        future.success(1)
        #expect(log.all == [1])
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

    @Test func `futures outside a cycle can share sources`() {
        let source = FutureStream<Int>()
        let (left, right, end) = (FutureStream<Int>(), FutureStream<Int>(), FutureStream<Int>())
        left.completeWith(stream: source)
        right.completeWith(stream: source)
        end.completeWith(stream: left)
        end.completeWith(stream: right)
        end.completeWith(stream: source)
        source.success(1)
        #expect(end.state == [1, 1, 1])
    }

    @Test func `after a link was removed, a cycle can be closed elsewhere`() {
        let (one, two) = (FutureStream<Int>(), FutureStream<Int>())
        let between = FutureStream<Int>()
        between.completeWith(stream: one)
        two.completeWith(stream: between)
        between.finish()
        one.completeWith(stream: two)
        two.success(1)
        #expect(one.state == [1])
        #expect(two.state == [1])
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
