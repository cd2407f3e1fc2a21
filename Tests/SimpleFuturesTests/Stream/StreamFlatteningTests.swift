import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: flatMap to Future and to FutureStream", .watchdog)
struct StreamFlatteningTests {
    private let source = FutureStream<Int>()

    @Test func `results are emitted when the futures complete, and the finish after the last one`() {
        let futures = (0..<4).map { _ in Future<String>() }
        let derived = source.flatMap(context: immediate) { futures[$0] }
        for value in 0..<4 { source.success(value) }
        source.failure(Oops.source)
        futures[2].success("2")
        futures[0].failure(Oops.other)
        source.finish()
        #expect(derived.state == [.failure(Oops.source), "2", .failure(Oops.other)])
        futures[3].success("3")
        #expect(!derived.isFinished)
        futures[1].success("1")
        #expect(derived.state == [.failure(Oops.source), "2", .failure(Oops.other), "3", "1", .finish])
    }

    @Test func `elements are emitted when the inner streams emit them, and the finish after the last one`() {
        let streams = (0..<3).map { _ in FutureStream<Int>(capacity: 0) }
        let derived = source.flatMap(context: immediate) { streams[$0] }
        streams[0].success(-1)
        source.success(0)
        source.success(1)
        streams[1].success(11)
        streams[0].success(1)
        streams[0].failure(Oops.other)
        source.success(2)
        streams[2].success(21)
        streams[0].finish()
        source.finish()
        streams[1].success(12)
        streams[2].finish()
        #expect(!derived.isFinished)
        streams[1].finish()
        #expect(derived.state == [11, 1, .failure(Oops.other), 21, 12, .finish])
    }

    @Test func `replayed elements of an inner stream are emitted first`() {
        let inner = FutureStream<Int>()
        for value in 1...3 { inner.success(value) }
        let derived = source.flatMap(context: immediate) { _ in inner }
        source.success(0)
        inner.success(4)
        #expect(derived.state == [1, 2, 3, 4])
        source.success(0)
        #expect(derived.state == [1, 2, 3, 4, 1, 2, 3, 4])
        inner.success(5)
        #expect(derived.count == 10)
    }

    @Test func `an error thrown by the closure is a failure, and the stream continues`() {
        let toFuture = source.flatMap(context: immediate) { value -> Future<Int> in
            if value == 1 { throw Oops.thrown }
            return Future(value: value)
        }
        let toStream = source.flatMap(context: immediate) { value -> FutureStream<Int> in
            if value == 1 { throw Oops.thrown }
            return FutureStream(value: value)
        }
        source.success(1)
        source.success(2)
        source.finish()
        #expect(toFuture.state == [.failure(Oops.thrown), 2, .finish])
        #expect(toStream.state == [.failure(Oops.thrown), 2, .finish])
    }

    @Test func `the derived stream itself as an inner stream is an invalid completion`() {
        let derived = Box<FutureStream<Int>?>(nil)
        derived.value = source.flatMap(context: immediate) { _ in derived.value ?? FutureStream() }
        source.success(1)
        source.finish()
        #expect(derived.value?.state == [.failure(FuturesError.invalidCompletion), .finish])
        derived.value = nil
    }

    @Test func `the source itself can be an inner stream`() {
        let derived = source.flatMap(context: immediate) { [source] value in
            value == 1 ? source : FutureStream(value: value)
        }
        source.success(1)
        source.success(2)
        source.finish()
        #expect(derived.state.filter { $0 == 1 }.count == 1)
        #expect(derived.state.filter { $0 == 2 }.count == 2)
        #expect(derived.isFinished)
    }

    @Test(arguments: [true, false])
    func `the inner streams are subscribed under the same token`(_ isToken: Bool) {
        let token = CancelToken()
        let future = Future<Int>()
        let stream = FutureStream<Int>()
        let toFuture = source.flatMap(context: immediate, cancelToken: token) { _ in future }
        let toStream = source.flatMap(context: immediate, cancelToken: token) { _ in stream }
        source.success(1)
        source.finish()
        #expect(token.registrationCount == 2)
        if isToken {
            token.cancel()
        } else {
            #expect(future.cancel(token))
            #expect(stream.cancel(token))
        }
        #expect(toFuture.state == [.cancel])
        #expect(toStream.state == [.cancel])
        #expect(future.observerCount == 0)
        #expect(stream.core.subscriberCount == 0)
        future.success(1)
        stream.success(1)
        #expect(toFuture.state == [.cancel])
    }

    @Test func `inner streams are released when the derived stream ends`() {
        let stream = FutureStream<Int>()
        let derived = source.flatMap(context: immediate) { _ in stream }
        source.success(1)
        source.success(2)
        #expect(stream.core.subscriberCount == 2)
        derived.finish()
        #expect(stream.core.subscriberCount == 0)
        #expect(source.core.subscriberCount == 0)
    }

    @Test func `inner futures are released when the derived stream ends`() {
        let future = Future<Int>()
        let derived = source.flatMap(context: immediate) { _ in future }
        source.success(1)
        #expect(future.observerCount == 1)
        derived.finish()
        #expect(future.observerCount == 0)
    }

    @Test func `an element after the end of the derived stream does not subscribe to an inner stream`() {
        let runs = Log<Int>()
        let derived = source.flatMap(context: immediate) { value in
            runs.add(value)
            return Future(value: value)
        }
        source.success(1)
        derived.finish()
        source.success(2)
        #expect(runs.all == [1])
    }
}
