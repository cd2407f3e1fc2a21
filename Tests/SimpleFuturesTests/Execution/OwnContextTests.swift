import SimpleFutures
import Testing
@testable import TestSupport

@Suite("A user's ExecutionContext", .watchdog)
struct OwnContextTests {
    @Test func `an inline context runs callbacks once and in order`() {
        let context = InlineContext()
        let log = Log<Int>()
        let future = Future<Int>()
        for number in 0..<5 { future.onSuccess(context: context) { _ in log.add(number) } }
        future.success(1)
        future.onSuccess(context: context) { _ in log.add(5) }
        #expect(log.all == Array(0...5))
        #expect(context.count == 6)
    }

    @Test func `an inline context can be nested`() {
        let context = InlineContext()
        let result = Future(value: 1)
            .flatMap(context: context) { value in Future(value: value + 1).map(context: context) { $0 * 10 } }
            .recover(context: context) { _ in 0 }
        #expect(result.ended == .success(20))
    }

    @Test func `a serial context runs callbacks in order on its queue`() async {
        let context = SerialContext()
        let log = Log<Int>()
        let future = Future<Int>()
        for number in 0..<50 { future.onSuccess(context: context) { _ in log.add(context.isCurrent ? number : -1) } }
        future.success(1)
        let last = future.map(context: context) { _ in log.all }
        #expect(await last.end() == .success(Array(0..<50)))
    }

    @Test func `a future that depends on a dropped task is broken`() {
        let context = DroppingContext()
        let succeeded = Future(value: 1)
        let failed = Future<Int>(error: Oops.source)
        #expect(succeeded.map(context: context) { $0 }.ended == .broken)
        #expect(succeeded.flatMap(context: context) { Future(value: $0) }.ended == .broken)
        #expect(succeeded.withFilter(context: context) { _ in true }.ended == .broken)
        #expect(succeeded.andThen(context: context) { _ in }.ended == .broken)
        #expect(failed.recover(context: context) { _ in 2 }.ended == .broken)
        #expect(failed.recoverWith(context: context) { _ in Future(value: 2) }.ended == .broken)
        #expect(failed.mapError(context: context) { $0 }.ended == .broken)
        #expect(future(context: context) { 1 }.ended == .broken)
        #expect([1, 2].traverse(maxConcurrent: 1, context: context) { Future(value: $0) }.ended == .broken)
    }

    @Test func `results that need no task are passed on, even with a context that drops its tasks`() {
        let context = DroppingContext()
        let succeeded = Future(value: 1)
        let failed = Future<Int>(error: Oops.source)
        #expect(failed.map(context: context) { $0 }.ended == .failure(Oops.source))
        #expect(failed.flatMap(context: context) { Future(value: $0) }.ended == .failure(Oops.source))
        #expect(succeeded.recover(context: context) { _ in 2 }.ended == .success(1))
        #expect(succeeded.recoverWith(context: context) { _ in Future(value: 2) }.ended == .success(1))
        #expect([succeeded].sequence(context: context).ended == .success([1]))
        #expect(Future(context: context, dependent: succeeded).ended == .success(1))
    }

    @Test func `a dropped callback is released`() {
        let watch = Watch { probe in
            Future(value: 1).onSuccess(context: DroppingContext()) { _ in probe.use() }
        }
        #expect(watch.isReleased)
    }

    @Test func `a future that waits for a dropped timer is broken`() {
        #expect(Future(value: 1).delay(.zero, context: TimerDroppingContext()).ended == .broken)
        let source = Future<Int>()
        let late = source.timeout(.zero, context: TimerDroppingContext())
        #expect(late.ended == .pending)
        source.success(1)
        #expect(late.ended == .success(1))
    }

    @Test func `a context that runs tasks twice runs callbacks once`() {
        let log = Log<Int>()
        let token = CancelToken()
        let future = Future(value: 1)
        future.onSuccess(context: RepeatingContext()) { log.add($0) }
        future.onSuccess(context: RepeatingContext(), cancelToken: token) { log.add($0 + 1) }
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
        let log = Log<Int>()
        let future = Future(value: 1)
        for number in 0..<4 { future.onSuccess(context: context) { _ in log.add(number) } }
        context.run()
        #expect(log.all == [3, 2, 1, 0])
    }

    @Test func `it can be used through the protocol`() {
        let contexts: [any ExecutionContext] = [InlineContext(), ImmediateContext(), RepeatingContext()]
        for context in contexts {
            #expect(Future(value: 1).map(context: context) { $0 + 1 }.ended == .success(2))
        }
    }
}
