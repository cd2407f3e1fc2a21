import SimpleFutures
import Testing
@testable import TestSupport

@Suite("StreamPromise", .watchdog)
struct StreamPromiseTests {
    @Test func `it emits into its stream and finishes it`() {
        let promise = StreamPromise<Int>()
        let log = promise.stream.heard()
        promise.success(1)
        promise.failure(Oops.other)
        promise.complete(.success(2))
        promise.complete(.failure(Oops.source))
        promise.finish()
        promise.finish()
        #expect(log.all == [1, .failure(Oops.other), 2, .failure(Oops.source), .finish])
        #expect(promise.stream.isFinished)
    }

    @Test func `its stream has the capacity it was given`() {
        #expect(StreamPromise<Int>().stream.capacity == .max)
        let promise = StreamPromise<Int>(capacity: 2)
        for value in 1...5 { promise.success(value) }
        #expect(promise.stream.state == [4, 5])
    }

    @Test func `releasing it finishes its stream`() {
        var promise: StreamPromise<Int>? = StreamPromise()
        let stream = promise?.stream
        let log = stream?.heard()
        promise?.success(1)
        promise = nil
        #expect(stream?.isFinished == true)
        #expect(log?.all == [1, .finish])
    }

    @Test func `releasing it does not finish a stream that has other producers`() {
        let source = FutureStream<Int>()
        let pending = Future<Int>()
        var promise: StreamPromise<Int>? = StreamPromise()
        let stream = promise?.stream
        promise?.completeWith(stream: source)
        promise?.completeWith(future: pending)
        promise = nil
        #expect(stream?.isFinished == false)
        source.success(1)
        source.finish()
        #expect(stream?.isFinished == false)
        pending.success(2)
        #expect(stream?.state == [1, 2, .finish])
    }

    @Test func `it can be released inside a callback of its own stream`() {
        let promise = Box<StreamPromise<Int>?>(StreamPromise())
        let stream = promise.value?.stream
        let log = Log<Heard<Int>>()
        stream?.onSuccess(context: immediate) { value in
            log.add(.value(value))
            promise.value = nil
        }
        stream?.onFinish(context: immediate) { log.add(.finish) }
        promise.value?.success(1)
        #expect(log.all == [1, .finish])
    }

    @Test func `callbacks and contexts do not keep a promise alive`() {
        let context = ManualContext()
        let watch = Watch { probe in
            let promise = StreamPromise<Probe>(capacity: 0)
            promise.stream.onSuccess(context: context) { _ in }
            promise.stream.map(context: context) { $0 }.onFinish(context: immediate) { probe.use() }
            promise.success(probe)
        }
        #expect(!watch.isReleased)
        context.run()
        #expect(watch.isReleased)
    }

    @Test func `the debug description contains the source location and the state`() {
        let promise = StreamPromise<Int>(fileID: "App/Promises.swift", line: 7)
        promise.success(1)
        #expect(promise.debugDescription.contains("App/Promises.swift:7"))
        #expect(promise.debugDescription.contains("1 kept"))
    }

    @Test func `a promise of Void signals events`() {
        let promise = StreamPromise<Void>()
        let log = Log<Int>()
        promise.stream.onSuccess(context: immediate) { log.add(1) }
        promise.success()
        promise.success(())
        #expect(log.all == [1, 1])
    }
}
