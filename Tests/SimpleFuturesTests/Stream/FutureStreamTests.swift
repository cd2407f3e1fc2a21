import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: its state", .watchdog)
struct FutureStreamTests {
    @Test func `a new stream is open, with an empty replay buffer`() {
        let stream = FutureStream<Int>()
        #expect(stream.count == 0)
        #expect(stream.futures.isEmpty)
        #expect(!stream.isFinished)
        #expect(!stream.isCancelled)
        #expect(stream.capacity == .max)
    }

    @Test func `a stream of a value replays it and is open`() {
        let stream = FutureStream(value: 1)
        #expect(stream.state == [1])
        stream.success(2)
        #expect(stream.state == [1, 2])
        #expect(FutureStream(value: 1, capacity: 0).state == [])
    }

    @Test func `a stream of an error replays it and is open`() {
        let stream = FutureStream<Int>(error: Oops.source)
        #expect(stream.state == [.failure(Oops.source)])
        stream.success(2)
        #expect(stream.state == [.failure(Oops.source), 2])
        #expect(FutureStream<Int>(error: Oops.source, capacity: 0).state == [])
    }

    @Test func `values and errors are elements, and a failure does not end the stream`() {
        let stream = FutureStream<Int>()
        let log = stream.heard()
        stream.success(1)
        stream.failure(Oops.other)
        stream.complete(.success(2))
        stream.complete(.failure(Oops.source))
        #expect(log.all == [1, .failure(Oops.other), 2, .failure(Oops.source)])
        #expect(stream.state == log.all)
    }

    @Test func `finish ends it once, after all elements emitted before`() {
        let stream = FutureStream<Int>()
        let log = stream.heard()
        stream.success(1)
        stream.finish()
        stream.finish()
        #expect(log.all == [1, .finish])
        #expect(stream.isFinished)
        #expect(!stream.isCancelled)
        #expect(stream.state == [1, .finish])
    }

    @Test func `a stream without a producer finishes when it is released`() {
        var stream: FutureStream<Int>? = FutureStream()
        let log = stream?.heard()
        let derived = stream?.map(context: immediate) { $0 + 1 }
        stream?.success(1)
        stream = nil
        #expect(log?.all == [1, .finish])
        #expect(derived?.state == [2, .finish])
    }

    @Test func `a stream with a producer does not finish when it is released`() {
        let promise = StreamPromise<Int>()
        let log = promise.stream.heard()
        promise.stream.map(context: immediate) { $0 }.onSuccess(context: immediate) { log.add(.value(-$0)) }
        promise.success(1)
        #expect(log.all == [1, -1])
    }

    @Test func `elements emitted after finish are dropped and reported with the promise's source location`() {
        Reports.during { reports in
            let promise = StreamPromise<Int>(fileID: "Stream/late", line: 5)
            let site = CreationSite(fileID: "Stream/late", line: 5)
            let log = promise.stream.heard()
            promise.success(1)
            promise.finish()
            promise.success(2)
            promise.failure(Oops.other)
            promise.complete(.success(3))
            promise.stream.success(4)
            promise.stream.complete(.failure(Oops.other))
            promise.stream.failure(Oops.other)
            #expect(reports.about(site) == Array(repeating: .emittedAfterFinish(createdAt: site), count: 6))
            #expect(log.all == [1, .finish])
            #expect(promise.stream.state == [1, .finish])
        }
    }

    @Test func `elements emitted into a canceled stream are dropped without a report`() {
        Reports.during { reports in
            let token = CancelToken()
            let source = FutureStream<Int>()
            let derived = source.map(context: immediate, cancelToken: token) { $0 }
            let before = reports.about(CreationSite(fileID: "", line: 0)).count
            token.cancel()
            derived.success(1)
            derived.failure(Oops.other)
            derived.finish()
            #expect(reports.about(CreationSite(fileID: "", line: 0)).count == before)
            #expect(derived.state == [.cancel])
        }
    }

    @Test func `a canceled stream does not finish`() {
        let token = CancelToken()
        let source = FutureStream<Int>()
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        let log = derived.heard()
        source.success(1)
        token.cancel()
        source.finish()
        derived.finish()
        #expect(derived.isCancelled)
        #expect(!derived.isFinished)
        #expect(log.all == [1, .cancel])
    }

    @Test func `code can emit into a derived stream and finish it`() {
        let source = FutureStream<Int>()
        let derived = source.map(context: immediate) { $0 + 1 }
        source.success(1)
        derived.success(5)
        derived.finish()
        source.success(2)
        #expect(derived.state == [2, 5, .finish])
        #expect(source.core.subscriberCount == 0)
    }

    @Test func `the debug description tells the state`() {
        let stream = FutureStream<Int>(capacity: 2)
        for value in 1...3 { stream.success(value) }
        stream.onSuccess(context: immediate) { _ in }
        #expect(stream.debugDescription == "FutureStream<Int>(2 kept, 1 subscribed, open)")
        stream.finish()
        #expect(stream.debugDescription == "FutureStream<Int>(2 kept, 0 subscribed, finished)")
        let token = CancelToken()
        let derived = FutureStream<Int>().map(context: immediate, cancelToken: token) { $0 }
        token.cancel()
        #expect(derived.debugDescription.hasSuffix("cancelled)") || derived.isFinished)
    }

    @Test func `values of any size are kept and released`() {
        struct Large: Sendable {
            let numbers = (1, 2, 3, 4, 5, 6, 7, 8)
            let probe: Probe
        }
        for capacity in [0, 1, 10] {
            let large = Watch { probe in
                let stream = FutureStream<Large>(capacity: capacity)
                let sum = Box(0)
                stream.onSuccess(context: immediate) { value in sum.change { $0 += value.numbers.7 } }
                for _ in 0..<20 { stream.success(Large(probe: probe)) }
                #expect(sum.value == 160)
            }
            #expect(large.isReleased)
            let small = Watch { probe in
                let stream = FutureStream<Probe>(capacity: capacity)
                for _ in 0..<20 { stream.success(probe) }
            }
            #expect(small.isReleased)
        }
        let vectors = FutureStream(value: SIMD4<Double>(1, 2, 3, 4))
        #expect(vectors.futures.first?.result?.value?.w == 4)
        let optionals = FutureStream<Int?>(value: nil)
        #expect(optionals.futures.first?.result?.value == .some(nil))
        let tuples = FutureStream(value: (1, "two", 3.0))
        #expect(tuples.futures.first?.result?.value?.1 == "two")
        let voids = FutureStream<Void>()
        voids.success()
        #expect(voids.count == 1)
    }

    @Test func `an error is kept and released`() {
        struct Failure: Error { let probe: Probe }
        let watch = Watch { probe in
            let stream = FutureStream<Int>()
            stream.failure(Failure(probe: probe))
            #expect((stream.futures.first?.result?.error as? Failure)?.probe === probe)
        }
        #expect(watch.isReleased)
    }

    @Test(arguments: Emitter.Ending.allCases, [true, false])
    func `a stream of a derived future ends as the future does`(_ ending: Emitter.Ending, _ isEarly: Bool) {
        let source = Emitter()
        source.emit(1)
        if isEarly {
            source.emit(2)
            source.end(ending)
        }
        let stream = FutureStream(context: DroppingContext(), dependent: source.stream)
        if !isEarly {
            source.emit(2)
            source.end(ending)
        }
        #expect(stream.state == [1, 2, ending.passedOn()])
    }
}
