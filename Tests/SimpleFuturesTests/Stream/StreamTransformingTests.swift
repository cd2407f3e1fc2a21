import SimpleFutures
import Testing
@testable import TestSupport

@Suite("FutureStream: map, compactMap, filter, andThen, forEach, scan", .watchdog)
struct StreamTransformingTests {
    private let source = FutureStream<Int>()

    /// Emits the elements that the operations transform.
    private func emit() {
        source.success(1)
        source.failure(Oops.source)
        source.success(2)
        source.success(3)
        source.finish()
    }

    @Test func `map transforms each value, and failures pass in their place`() {
        let derived = source.map(context: immediate) { "\($0)" }
        emit()
        #expect(derived.state == ["1", .failure(Oops.source), "2", "3", .finish])
    }

    @Test func `an error thrown by map is a failure, and the stream continues`() {
        let derived = source.map(context: immediate) { value in
            if value == 2 { throw Oops.thrown }
            return value
        }
        emit()
        #expect(derived.state == [1, .failure(Oops.source), .failure(Oops.thrown), 3, .finish])
    }

    @Test func `compactMap leaves out nil`() {
        let derived = source.compactMap(context: immediate) { value -> String? in
            if value == 3 { throw Oops.thrown }
            return value == 2 ? nil : "\(value)"
        }
        emit()
        #expect(derived.state == ["1", .failure(Oops.source), .failure(Oops.thrown), .finish])
    }

    @Test(arguments: [true, false])
    func `filter leaves out values, withFilter turns them into failures`(leavesOut: Bool) {
        let even: @Sendable (Int) throws -> Bool = { value in
            if value == 3 { throw Oops.thrown }
            return value.isMultiple(of: 2)
        }
        let derived =
            leavesOut ? source.filter(context: immediate, even) : source.withFilter(context: immediate, filter: even)
        emit()
        let refused: [Heard<Int>] = leavesOut ? [] : [.failure(FuturesError.noSuchElement)]
        #expect(derived.state == refused + [.failure(Oops.source), 2, .failure(Oops.thrown), .finish])
    }

    @Test func `andThen runs before the element is passed on`() {
        let log = Log<Int>()
        let derived = source.andThen(context: immediate) { log.add($0) }
        derived.onSuccess(context: immediate) { log.add(-$0) }
        emit()
        #expect(log.all == [1, -1, 2, -2, 3, -3])
        #expect(derived.state == [1, .failure(Oops.source), 2, 3, .finish])
    }

    @Test func `forEach is onSuccess`() {
        let log = Log<Int>()
        let token = CancelToken()
        source.forEach(context: immediate) { log.add($0) }
        source.forEach(context: immediate, cancelToken: token) { log.add($0 * 10) }
        source.success(1)
        token.cancel()
        source.success(2)
        #expect(log.all == [1, 10, 2])
    }

    @Test func `scan continues from its last result, also after a failure`() {
        let derived = source.scan(10, context: immediate) { sum, value in
            if value == 2 { throw Oops.thrown }
            return sum + value
        }
        emit()
        #expect(derived.state == [11, .failure(Oops.source), .failure(Oops.thrown), 14, .finish])
    }

    @Test func `two derived streams have separate states`() {
        let first = source.scan(0, context: immediate) { $0 + $1 }
        source.success(1)
        let second = source.scan(0, context: immediate) { $0 + $1 }
        source.success(2)
        #expect(first.state == [1, 3])
        #expect(second.state == [1, 3])
    }

    @Test(arguments: StreamCombinator.all)
    func `elements pass in order, live and from the replay buffer`(_ combinator: StreamCombinator) {
        let clock = ManualContext()
        let live = combinator.apply(to: source, clock: clock)
        let log = live.heard()
        for value in 1...3 {
            source.success(value)
            clock.advance(by: .seconds(1))
        }
        source.failure(Oops.source)
        source.success(4)
        source.finish()
        let expected: [Heard<Int>] = [1, 2, 3, combinator.passedOn(.source), 4, .finish]
        #expect(log.all == expected)
        #expect(live.state == expected)
        #expect(clock.pendingCount == 0)
    }

    @Test(arguments: StreamCombinator.all.filter { $0.takesClosure })
    func `closures run only on their context`(_ combinator: StreamCombinator) {
        let context = ManualContext()
        let derived = combinator.apply(to: source, on: context, clock: context)
        source.success(1)
        source.failure(Oops.source)
        source.finish()
        #expect(derived.state == [])
        context.run()
        #expect(derived.isFinished)
        #expect(Set(derived.state.map { "\($0)" }) == Set([1, combinator.passedOn(.source), .finish].map { "\($0)" }))
    }

    @Test(arguments: StreamCombinator.all)
    func `so they do on a user's inline context`(_ combinator: StreamCombinator) {
        let clock = ManualContext()
        let derived = combinator.apply(to: source, on: InlineContext(), clock: clock)
        for value in 1...3 {
            source.success(value)
            clock.advance(by: .seconds(1))
        }
        source.finish()
        #expect(derived.state == [1, 2, 3, .finish])
    }
}
