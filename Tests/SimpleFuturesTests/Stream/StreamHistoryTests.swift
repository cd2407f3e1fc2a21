import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: its replay buffer", .watchdog, .serialized)
struct StreamHistoryTests {
    @Test(arguments: [0, 1, 2, 4, 5, 10, 255, 300, .max])
    func `the newest elements up to the capacity are kept, and replayed from the oldest`(_ capacity: Int) {
        let stream = FutureStream<Int>(capacity: capacity)
        for value in 1...700 {
            stream.success(value)
            #expect(stream.count == min(value, capacity))
        }
        let kept = Array((1...700).suffix(capacity))
        #expect(stream.capacity == capacity)
        #expect(stream.futures.map { $0.result?.value } == kept)
        #expect(stream.futures.allSatisfy { $0.completed })
        let log = stream.heard()
        #expect(log.all == kept.map { .value($0) })
        stream.success(701)
        #expect(log.all == (kept + [701]).map { .value($0) })
    }

    @Test(arguments: [0, 1, 10])
    func `errors count as elements`(_ capacity: Int) {
        let stream = FutureStream<Int>(capacity: capacity)
        for value in 1...30 { value.isMultiple(of: 3) ? stream.failure(Failure(id: value)) : stream.success(value) }
        let all = (1...30).map { $0.isMultiple(of: 3) ? Heard<Int>.failure(Failure(id: $0)) : .value($0) }
        #expect(stream.state == Array(all.suffix(capacity)))
        #expect(stream.heard().all == Array(all.suffix(capacity)))
    }

    @Test(arguments: [0, 2, .max])
    func `the replay buffer is kept after the end, which is replayed last`(_ capacity: Int) {
        let stream = FutureStream<Int>(capacity: capacity)
        for value in 1...5 { stream.success(value) }
        stream.finish()
        let kept = (1...5).suffix(capacity).map { Heard.value($0) }
        #expect(stream.heard().all == kept + [.finish])
        #expect(stream.heard().all == kept + [.finish])
        let token = CancelToken()
        let source = FutureStream<Int>(capacity: capacity)
        let derived = source.map(context: immediate, cancelToken: token) { $0 }
        for value in 1...5 { source.success(value) }
        token.cancel()
        #expect(derived.heard().all == kept + [.cancel])
    }

    @Test func `a slow subscriber gets elements that are no longer in the replay buffer`() {
        let stream = FutureStream<Int>(capacity: 2)
        let slow = ManualContext()
        let log = stream.heard(on: slow)
        for value in 1...100 { stream.success(value) }
        #expect(stream.count == 2)
        let late = stream.heard(on: slow)
        slow.run()
        #expect(log.all == (1...100).map { .value($0) })
        #expect(late.all == [99, 100])
    }

    @Test(arguments: StreamCombinator.all)
    func `derived streams inherit the capacity`(_ combinator: StreamCombinator) {
        let clock = ManualContext()
        for capacity in [0, 3, .max] {
            let stream = FutureStream<Int>(capacity: capacity)
            let derived = combinator.apply(to: stream, clock: clock)
            #expect(derived.capacity == capacity)
            for value in 1...10 {
                stream.success(value)
                clock.advance(by: .seconds(1))
            }
            #expect(derived.state == (1...10).suffix(capacity).map { .value($0) })
        }
    }

    @Test func `the replay buffer is released with the handle, and the stream keeps working`() {
        let log = Log<Int>()
        let source = FutureStream<Probe>(capacity: 0)
        FutureStream(capacity: 10, dependent: source).onSuccess(context: immediate) { _ in log.add(1) }
        // The handle of the derived stream is gone, so no code can subscribe and ask for a replay.
        let watch = Watch { source.success($0) }
        #expect(watch.isReleased)
        #expect(log.count == 1)
    }

    @Test func `a negative capacity traps with a message that contains it`() async {
        let streams = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FutureStream<Int>(capacity: -1)
        }
        expect(streams, toSay: "A FutureStream was given the capacity -1")
        let promises = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = StreamPromise<Int>(capacity: -2)
        }
        expect(promises, toSay: "capacity -2")
        let methods = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FutureStream<Int>(capacity: -3) { $0(.success(1)) }
        }
        expect(methods, toSay: "capacity -3")
        let crossings = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Future(value: 1).flatMap(capacity: -4) { FutureStream(value: $0) }
        }
        expect(crossings, toSay: "capacity -4")
    }

    @Test func `an element costs the same at any capacity`() {
        let few = Stress.size(30_000, full: 300_000)
        var ratios: [Double] = []
        for _ in 0..<8 {
            ratios.append(time(few, capacity: few) / time(few, capacity: 10))
            if ratios.contains(where: { $0 < 4 }) { break }
        }
        #expect(ratios.contains { $0 < 4 }, "\(ratios)")
    }

    @Test func `with a million elements kept, evicting each of them costs the same`() {
        let large = FutureStream<Int>(capacity: 1_000_000)
        for value in 0..<1_000_000 { large.success(value) }
        let small = FutureStream<Int>(capacity: 10)
        var ratios: [Double] = []
        for _ in 0..<8 {
            ratios.append(time(20_000, large) / time(20_000, small))
            if ratios.contains(where: { $0 < 4 }) { break }
        }
        #expect(ratios.contains { $0 < 4 }, "\(ratios)")
        #expect(large.count == 1_000_000)
        #expect(small.count == 10)
    }

    /// Fills a new stream, then evicts all its elements, and returns the time of the second part.
    private func time(_ count: Int, capacity: Int) -> Double {
        let stream = FutureStream<Int>(capacity: capacity)
        for value in 0..<capacity { stream.success(value) }
        return time(count, stream)
    }

    private func time(_ count: Int, _ stream: FutureStream<Int>) -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        for value in 0..<count { stream.success(value) }
        return Double(DispatchTime.now().uptimeNanoseconds - start)
    }
}
