import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: its state", .watchdog)
struct FutureStreamTests {
    @Test func `a new stream is open, and replays the value or error that it was created with`() {
        let empty = FutureStream<Int>()
        #expect(empty.count == 0 && empty.state == [])
        #expect(empty.capacity == .max)
        let streams: [FutureStream<Int>] = [FutureStream(value: 1), FutureStream(error: Oops.source)]
        for stream in streams { stream.success(2) }
        #expect(streams.map(\.state) == [[1, 2], [.failure(Oops.source), 2]])
        #expect(FutureStream(value: 1, capacity: 0).state == [])
        #expect(FutureStream<Int>(error: Oops.source, capacity: 0).state == [])
    }

    @Test func `values and errors are elements, and finish ends a stream once, on the stream or on its promise`() {
        let stream = FutureStream<Int>()
        let heard = stream.heard()
        stream.success(1)
        stream.failure(Oops.other)
        stream.complete(.success(2))
        stream.complete(.failure(Oops.source))
        #expect(!stream.isFinished)
        stream.finish()
        stream.finish()
        let promise = StreamPromise<Int>()
        let promised = promise.stream.heard()
        promise.success(1)
        promise.failure(Oops.other)
        promise.complete(.success(2))
        promise.complete(.failure(Oops.source))
        promise.finish()
        promise.finish()
        let expected: [Heard<Int>] = [1, .failure(Oops.other), 2, .failure(Oops.source), .finish]
        #expect([heard.all, promised.all] == [expected, expected])
        #expect([stream.state, promise.stream.state] == [expected, expected])
        #expect(!stream.isCancelled && !promise.stream.isCancelled)
    }

    @Test func `elements emitted after finish are dropped and reported with the place where the stream was made`() {
        Reports.during { reports in
            let file = "Stream/late" as StaticString
            let promise = StreamPromise<Int>(fileID: file, line: 1)
            var (emit, call): ((@Sendable (Try<Int>) -> Void)?, (@Sendable (Int) -> Void)?)
            let resolved = FutureStream<Int>(fileID: file, line: 2) { emit = $0 }
            let wrapped = futureStream(
                method: { (block: @escaping @Sendable (Int) -> Void) in call = block }, fileID: file, line: 3)
            let streams = [
                promise.stream, resolved, wrapped, FutureStream(fileID: file, line: 4),
                FutureStream(value: 0, capacity: 0, fileID: file, line: 5),
                FutureStream(error: Oops.other, capacity: 0, fileID: file, line: 6),
            ]
            let logs = streams.map { $0.heard() }
            for stream in streams {
                stream.success(1)
                stream.finish()
            }
            for stream in streams[3...] { stream.success(2) }
            promise.success(2)
            promise.failure(Oops.other)
            promise.complete(.success(3))
            promise.stream.success(4)
            promise.stream.complete(.failure(Oops.other))
            promise.stream.failure(Oops.other)
            emit?(.success(5))
            call?(6)
            for line: UInt in 1...6 {
                let site = CreationSite(fileID: file, line: line)
                let expected = FuturesDiagnostic.emittedAfterFinish(createdAt: site)
                #expect(reports.about(site) == Array(repeating: expected, count: line == 1 ? 6 : 1))
            }
            for log in logs { #expect(log.all == [1, .finish]) }
            #expect(streams[..<4].map(\.state) == logs[..<4].map(\.all))
        }
    }

    @Test func `elements emitted into a canceled stream are dropped without a report`() {
        Reports.during { reports in
            let site = CreationSite(fileID: "Stream/canceled", line: 6)
            let source = Emitter()
            var promise: StreamPromise<Int>? = StreamPromise(fileID: "Stream/canceled", line: 6)
            let stream = promise!.stream
            let log = stream.heard()
            promise?.completeWith(stream: source.stream)
            promise = nil
            source.end(.cancellation)
            stream.success(1)
            stream.failure(Oops.other)
            stream.finish()
            #expect(reports.about(site) == [])
            #expect(log.all == [.cancel])
            #expect(stream.state == [.cancel])
        }
    }

    @Test func `the debug description tells the state, and that of a promise its place too`() {
        let stream = FutureStream<Int>(capacity: 2)
        for value in 1...3 { stream.success(value) }
        stream.onSuccess(context: immediate) { _ in }
        #expect(stream.debugDescription == "FutureStream<Int>(2 kept, 1 subscribed, open)")
        stream.finish()
        #expect(stream.debugDescription == "FutureStream<Int>(2 kept, 0 subscribed, finished)")
        let token = CancelToken()
        let source = FutureStream<Int>()
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        token.cancel()
        #expect(derived.debugDescription == "FutureStream<Int>(0 kept, 0 subscribed, cancelled)")
        #expect(source.core.subscriberCount == 0)
        let promise = StreamPromise<Int>(fileID: "App/Promises.swift", line: 7)
        promise.success(1)
        #expect(promise.debugDescription.contains("App/Promises.swift:7"))
        #expect(promise.debugDescription.contains("1 kept"))
    }

    @Test func `values of any size, and errors, are kept and released`() {
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
        let error = Watch { probe in
            let stream = FutureStream<Int>(error: ProbeError(probe: probe))
            #expect((stream.futures.first?.result?.error as? ProbeError)?.probe === probe)
        }
        #expect(error.isReleased)
        let vectors = FutureStream(value: SIMD4<Double>(1, 2, 3, 4))
        #expect(vectors.futures.first?.result?.value?.w == 4)
        let optionals = FutureStream<Int?>(value: nil)
        #expect(optionals.futures.first?.result?.value == .some(nil))
        let tuples = FutureStream(value: (1, "two", 3.0))
        #expect(tuples.futures.first?.result?.value?.1 == "two")
        let (voids, promise) = (FutureStream<Void>(), StreamPromise<Void>())
        voids.success()
        promise.success()
        promise.success(())
        #expect([voids.count, promise.stream.count] == [1, 2])
    }

    // MARK: futureStream(_:), futureStream(context:), FutureStream(resolver:)

    @Test func `an expression or a closure on its context makes one element and a finish`() async {
        let context = ManualContext()
        let runs = Log<Int>()
        let stream = futureStream(context: context) {
            runs.add(1)
            return 7
        }
        #expect(stream.state == [])
        context.run()
        #expect(stream.state == [7, .finish])
        #expect(runs.count == 1)
        #expect(futureStream(context: DroppingContext()) { 1 }.state == [.broken, .finish])
        let expression = futureStream(1 + 1)
        #expect(expression.state == [2, .finish])
        #expect(expression.heard().all == [2, .finish])
        // An unannotated trailing closure without parameters.
        let trailing = futureStream { 7 }
        let same: FutureStream<Int> = trailing
        #expect(await same.first().end() == .success(7))
    }

    @Test(arguments: [true, false])
    func `a resolver gets the completion handler, whose release finishes the stream`(throwsToo: Bool) {
        var emit: (@Sendable (Try<Int>) -> Void)?
        let stream = FutureStream<Int>(capacity: 3) { block in
            block(.success(1))
            emit = block
            if throwsToo { throw Oops.thrown }
        }
        emit?(.failure(Oops.other))
        emit?(.success(2))
        let elements: [Heard<Int>] = [throwsToo ? .failure(Oops.thrown) : 1, .failure(Oops.other), 2]
        #expect(stream.state == elements)
        emit = nil
        #expect(stream.state == elements + [.finish])
    }
}
