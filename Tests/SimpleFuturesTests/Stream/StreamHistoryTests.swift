import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: its replay buffer", .watchdog)
struct StreamHistoryTests {
    @Test(arguments: [0, 1, 2, 4, 5, 10, 255, 300, .max])
    func `the newest values and errors up to the capacity are kept, and replayed from the oldest`(_ capacity: Int) {
        let stream = FutureStream<Int>(capacity: capacity)
        #expect(stream.capacity == capacity)
        let all = (1...700).map { $0.isMultiple(of: 3) ? Heard<Int>.failure(Failure(id: $0)) : .value($0) }
        for value in 1...700 {
            value.isMultiple(of: 3) ? stream.failure(Failure(id: value)) : stream.success(value)
            #expect(stream.count == min(value, capacity))
        }
        let kept = Array(all.suffix(capacity))
        #expect(stream.state == kept)
        let log = stream.heard()
        #expect(log.all == kept)
        stream.success(701)
        #expect(log.all == kept + [701])
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
        var emit: (@Sendable (Try<Probe>) -> Void)?
        // The handles of these streams are gone, so no code can subscribe and ask for a replay.
        FutureStream(capacity: 10, dependent: source).onSuccess(context: immediate) { _ in log.add(1) }
        FutureStream<Probe> { emit = $0 }.onSuccess(context: immediate) { _ in log.add(2) }
        let watches = [Watch { source.success($0) }, Watch { emit?(.success($0)) }]
        #expect(watches.map(\.isReleased) == [true, true])
        #expect(log.all == [1, 2])
    }

    @Test(arguments: [Stress.size(30_000, full: 300_000), 1_000_000])
    func `an element costs the same at any capacity`(_ capacity: Int) {
        let (large, small) = (full(capacity), full(10))
        var ratios: [Double] = []
        for _ in 0..<8 where !ratios.contains(where: { $0 < 4 }) { ratios.append(time(large) / time(small)) }
        #expect(ratios.contains { $0 < 4 }, "\(ratios)")
        #expect([large.count, small.count] == [capacity, 10])
    }

    /// A stream whose replay buffer is full: each further element evicts one.
    private func full(_ capacity: Int) -> FutureStream<Int> {
        let stream = FutureStream<Int>(capacity: capacity)
        for value in 0..<capacity { stream.success(value) }
        return stream
    }

    private func time(_ stream: FutureStream<Int>) -> Double {
        time { for value in 0..<Stress.size(30_000, full: 300_000) { stream.success(value) } }
    }

    private func time(_ body: () -> Void) -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        body()
        return Double(DispatchTime.now().uptimeNanoseconds - start)
    }

    @Test func `a latecomer costs the same beside any number of subscribers that have all elements`() {
        let (many, few) = (heard(by: 10_000), heard(by: 10))
        var ratios: [Double] = []
        for _ in 0..<8 where !ratios.contains(where: { $0 < 4 }) {
            ratios.append(timeOfLatecomers(many) / timeOfLatecomers(few))
        }
        #expect(ratios.contains { $0 < 4 }, "\(ratios)")
        for stream in [many, few] {
            stream.stream.finish()
            stream.context.run()
        }
    }

    /// A stream whose subscribers have all elements.
    private func heard(by count: Int) -> (stream: FutureStream<Int>, context: ManualContext) {
        let (stream, context) = (FutureStream<Int>(), ManualContext())
        for _ in 0..<count { stream.onFailure(context: context) { _ in } }
        for value in 0..<65 { stream.success(value) }
        context.run()
        return (stream, context)
    }

    private func timeOfLatecomers(_ heard: (stream: FutureStream<Int>, context: ManualContext)) -> Double {
        time {
            for _ in 0..<100 {
                heard.stream.onSuccess(context: heard.context) { _ in }
                // It gets 64 elements, as many as the latecomers before it.
                heard.context.runNext()
            }
        }
    }
}
