import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: merge", .watchdog)
struct StreamMergingTests {
    @Test func `elements are passed on when they are emitted`() {
        let streams = (0..<3).map { _ in FutureStream<Int>() }
        let merged = merge(streams[0], streams[1], streams[2])
        streams[0].success(1)
        streams[2].success(2)
        streams[1].failure(Oops.source)
        streams[0].success(3)
        #expect(merged.state == [1, 2, .failure(Oops.source), 3])
    }

    @Test func `replayed elements come first, in the order of the streams`() {
        let streams = (0..<3).map { FutureStream(value: $0) }
        for stream in streams { stream.failure(Oops.other) }
        let merged = streams[0].merge(streams[1...])
        #expect(
            merged.state == [0, .failure(Oops.other), 1, .failure(Oops.other), 2, .failure(Oops.other)])
    }

    @Test(arguments: permutations([0, 1, 2]), [0, 1, 2, 3])
    func `it finishes when all have ended, in any order`(_ order: [Int], _ before: Int) {
        let streams = (0..<3).map { _ in FutureStream<Int>() }
        for index in order.prefix(before) { streams[index].finish() }
        let merged = streams[0].merge(streams[1], streams[2])
        for index in order.dropFirst(before) {
            #expect(!merged.isFinished)
            streams[index].finish()
        }
        #expect(merged.state == [.finish])
    }

    @Test(arguments: permutations([0, 1, 2]), [0, 1, 2])
    func `if one is canceled it ends with a cancellation when all have ended`(_ order: [Int], _ cancelled: Int) {
        let sources = (0..<3).map { _ in Emitter() }
        let merged = sources[0].stream.merge(sources[1].stream, sources[2].stream)
        let log = merged.heard()
        for index in order {
            #expect(!merged.isCancelled)
            sources[index].emit(index)
            sources[index].end(index == cancelled ? .cancellation : .finish)
        }
        #expect(log.all == order.map { .value($0) } + [.cancel])
    }

    @Test func `merging a single stream passes its elements on`() {
        let stream = FutureStream<Int>(capacity: 3)
        let merged = merge(stream)
        stream.success(1)
        stream.finish()
        #expect(merged.state == [1, .finish])
        #expect(merged.capacity == 3)
    }

    @Test func `a stream merged with itself emits each element twice`() {
        let stream = FutureStream<Int>()
        let merged = stream.merge(stream)
        stream.success(1)
        stream.success(2)
        stream.finish()
        #expect(merged.state == [1, 1, 2, 2, .finish])
    }

    @Test func `a token unsubscribes it from all sources`() {
        let token = CancelToken()
        let streams = (0..<3).map { _ in FutureStream<Int>() }
        let merged = merge(streams[0], streams[1], streams[2], cancelToken: token)
        #expect(streams.map { $0.core.subscriberCount } == [1, 1, 1])
        token.cancel()
        #expect(merged.state == [.cancel])
        #expect(streams.map { $0.core.subscriberCount } == [0, 0, 0])
    }

    @Test func `a token canceled on one source cancels it and unsubscribes it from all sources`() {
        let token = CancelToken()
        let streams = (0..<3).map { _ in FutureStream<Int>() }
        let merged = merge(streams[0], streams[1], streams[2], cancelToken: token)
        #expect(streams[1].cancel(token))
        #expect(merged.state == [.cancel])
        #expect(streams.map { $0.core.subscriberCount } == [0, 0, 0])
        #expect(token.registrationCount == 0)
    }

    @Test func `under a canceled token it is canceled from the start`() {
        let token = CancelToken()
        token.cancel()
        let stream = FutureStream(value: 1)
        #expect(stream.merge(stream, cancelToken: token).state == [.cancel])
        #expect(stream.core.subscriberCount == 0)
    }
}
