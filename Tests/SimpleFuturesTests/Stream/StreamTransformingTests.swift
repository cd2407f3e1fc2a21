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

    @Test func `map transforms each value, compactMap leaves out nil, and failures pass in their place`() {
        let mapped = source.map(context: immediate) { "\($0)" }
        let compact = source.compactMap(context: immediate) { value -> String? in
            if value == 3 { throw Oops.thrown }
            return value == 2 ? nil : "\(value)"
        }
        emit()
        #expect(mapped.state == ["1", .failure(Oops.source), "2", "3", .finish])
        #expect(compact.state == ["1", .failure(Oops.source), .failure(Oops.thrown), .finish])
    }

    @Test func `filter leaves out values, withFilter turns them into failures`() {
        let even: @Sendable (Int) throws -> Bool = { value in
            if value == 3 { throw Oops.thrown }
            return value.isMultiple(of: 2)
        }
        let some = source.filter(context: immediate, even)
        let all = source.withFilter(context: immediate, filter: even)
        emit()
        let expected: [Heard<Int>] = [.failure(Oops.source), 2, .failure(Oops.thrown), .finish]
        #expect(some.state == expected)
        #expect(all.state == [.failure(FuturesError.noSuchElement)] + expected)
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

    @Test func `scan continues from its last result, also after a failure, and each has its own`() {
        let sums = (0..<2).map { _ in
            source.scan(10, context: immediate) { sum, value in
                if value == 2 { throw Oops.thrown }
                return sum + value
            }
        }
        emit()
        let expected: [Heard<Int>] = [11, .failure(Oops.source), .failure(Oops.thrown), 14, .finish]
        #expect(sums.map(\.state) == [expected, expected])
    }

    @Test(arguments: StreamCombinator.all, [immediate, InlineContext()] as [any ExecutionContext])
    func `elements pass in order, live and into the replay buffer`(
        _ combinator: StreamCombinator, _ context: any ExecutionContext
    ) {
        let clock = ManualContext()
        let live = combinator.apply(to: source, on: context, clock: clock)
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
}

@Suite("FutureStream: recover, mapError", .watchdog)
struct StreamRecoveryTests {
    private let source = FutureStream<Int>()

    @Test func `recover replaces a failure by the value that its closure returns`() {
        let derived = source.recover(context: immediate) { error in
            guard error as? Oops == .source else { throw Oops.thrown }
            return 7
        }
        source.success(1)
        source.failure(Oops.source)
        source.failure(Oops.other)
        source.success(2)
        source.finish()
        #expect(derived.state == [1, 7, .failure(Oops.thrown), 2, .finish])
    }

    @Test func `values and recovered failures keep their order on a context`() {
        let context = ManualContext()
        let derived = source.recover(context: context) { _ in 7 }
        for value in 1...3 {
            source.success(value)
            source.failure(Oops.source)
        }
        source.finish()
        context.run()
        #expect(derived.state == [1, 7, 2, 7, 3, 7, .finish])
    }

    @Test func `mapError replaces the error of each failure`() {
        let derived = source.mapError(context: immediate) { $0 as? Oops == .source ? Oops.other : $0 }
        source.failure(Oops.source)
        source.success(1)
        source.failure(Oops.thrown)
        source.finish()
        #expect(derived.state == [.failure(Oops.other), 1, .failure(Oops.thrown), .finish])
    }
}
