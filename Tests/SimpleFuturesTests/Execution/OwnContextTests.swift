import SimpleFutures
import Testing
@testable import TestSupport

@Suite("A user's ExecutionContext", .watchdog)
struct OwnContextTests {
    private let log = Log<Int>()

    @Test func `an inline context runs each callback in one task, in order, and can be nested`() {
        let context = InlineContext()
        let future = Future<Int>()
        for number in 0..<5 { future.onSuccess(context: context) { _ in log.add(number) } }
        future.success(1)
        future.onSuccess(context: context) { _ in log.add(5) }
        #expect(log.all == Array(0...5))
        #expect(context.count == 6)
        let nested =
            future
            .flatMap(context: context) { value in Future(value: value + 1).map(context: context) { $0 * 10 } }
            .recover(context: context) { _ in 0 }
        #expect(nested.ended == .success(20))
    }

    @Test func `a future that waits for a dropped task or timer is broken`() {
        let traversal = [1, 2].traverse(maxConcurrent: 1, context: DroppingContext()) { Future(value: $0) }
        #expect(traversal.ended == .broken)
        #expect(Future(value: 1).delay(.zero, context: TimerDroppingContext()).ended == .broken)
        let source = Future<Int>()
        let late = source.timeout(.zero, context: TimerDroppingContext())
        #expect(late.ended == .pending)
        source.success(1)
        #expect(late.ended == .success(1))
    }

    @Test func `a context that runs tasks twice runs callbacks once`() {
        let future = Future(value: 1)
        future.onSuccess(context: RepeatingContext()) { log.add($0) }
        future.onSuccess(context: RepeatingContext(), cancelToken: CancelToken()) { log.add($0 + 1) }
        let derived = future.map(context: RepeatingContext()) { value in
            log.add(value + 2)
            return value
        }
        #expect(log.all == [1, 2, 3])
        #expect(derived.ended == .success(1))
    }

    @Test func `a context that runs tasks on two threads at a time runs callbacks once`() {
        for round in 0..<500 {
            let log = Log<Int>()
            let token = round % 2 == 0 ? CancelToken() : .none
            Future(value: round).onSuccess(context: DoublingContext(), cancelToken: token) { log.add($0) }
            guard log.all != [round] else { continue }
            Issue.record("in round \(round): \(log.all)")
            break
        }
    }

    @Test func `a context that runs tasks in another order loses nothing`() {
        let context = ReversingContext()
        let future = Future(value: 1)
        for number in 0..<4 { future.onSuccess(context: context) { _ in log.add(number) } }
        context.run()
        #expect(log.all == [3, 2, 1, 0])
    }
}
