import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Programmer errors: contexts", .watchdog)
struct ContextFaultTests {
    @Test func `if a context drops its tasks, callbacks are released, and futures that depend on them break`() {
        var context: ManualContext! = ManualContext()
        let source = Future<Int>()
        let before = source.map(context: context) { $0 }
        let heard = Log<Int>()
        let watch = Watch { probe in
            source.onSuccess(context: context) {
                probe.use()
                heard.add($0)
            }
        }
        let stream = FutureStream<Int>()
        let derived = stream.map(context: context) { $0 }
        source.success(1)
        stream.success(1)
        #expect(before.ended == .pending)
        #expect(!watch.isReleased)
        context = nil
        #expect(before.ended == .broken)
        #expect(derived.state == [.broken, .finish])
        #expect(heard.all.isEmpty)
        #expect(source.observerCount == 0)
        #expect(watch.isReleased)
    }

    /// Returns a queue that is blocked until the gate opens.
    private func blockedQueue(until gate: Gate) -> DispatchQueue {
        let queue = DispatchQueue(label: "blocked")
        let isBlocked = Gate()
        queue.async {
            isBlocked.open()
            gate.pass()
        }
        isBlocked.pass()
        return queue
    }

    @Test func `while a queue is blocked others continue, and waits for it can time out or be canceled`() {
        let gate = Gate()
        let queue = blockedQueue(until: gate)
        let (clock, token) = (ManualContext(), CancelToken())
        let source = Future<Int>()
        let heard = Log<Int>()
        let waiting = source.map(context: queue) { $0 }
        let late = waiting.timeout(.seconds(30), context: clock)
        let cancelled = source.map(context: queue, cancelToken: token) { value in
            heard.add(-1)
            return value
        }
        for number in 0..<3 { source.onSuccess(context: queue) { heard.add($0 + number) } }
        source.success(1)
        #expect(source.map(context: immediate) { $0 }.ended == .success(1))
        clock.advance(by: .seconds(30))
        token.cancel()
        #expect(late.ended == .failure(FuturesError.timedOut))
        #expect(cancelled.isCancelled)
        #expect(waiting.ended == .pending)
        gate.open()
        queue.sync {}
        #expect(waiting.ended == .success(1))
        #expect(heard.all == [1, 2, 3])
    }

    @Test func `a hundred thousand elements for a blocked queue wait in order, and none is lost`() {
        let (gate, end) = (Gate(), Gate())
        let queue = blockedQueue(until: gate)
        let count = Stress.size(10_000, full: 100_000)
        let stream = FutureStream<Int>(capacity: 0)
        let heard = Box<[Int]>([])
        stream.onSuccess(context: queue) { heard.append($0) }
        stream.onFinish(context: queue) { end.open() }
        for value in 0..<count { stream.success(value) }
        stream.finish()
        #expect(heard.value.isEmpty)
        gate.open()
        end.pass()
        #expect(heard.value == Array(0..<count))
    }
}

// A user's closure that captures the context keeps it alive, like any closure: there is none here.

@Suite("Programmer errors: a manual context that is released with waiting tasks", .watchdog)
struct ManualContextFaultTests {
    /// An operation that waits on a manual context, and has callbacks that wait on the same one.
    enum Work: String, CaseIterable, CustomTestStringConvertible {
        case map, flatMap, recover, recoverWith, andThen, delay, timeout, after, retry, retryLater
        case sequence, fold, reduce, find, traverse, boundedTraverse, closure
        case stream, scan, streamFlatMap, streamRecover, debounce, throttle, streamReduce, crossing

        var testDescription: String { rawValue }

        /// Starts the operation.
        ///
        /// The source of its futures has already ended on the context.
        func begin(on context: ManualContext) -> Future<Int> {
            let good = Future(value: 1).map(context: context) { $0 }
            let bad = good.map(context: context) { _ -> Int in throw Oops.thrown }
            let inner = good.map(context: context) { $0 }
            let stream = FutureStream<Int>()
            let derived = stream.map(context: context) { $0 }
            let paced: FutureStream<Int>
            defer { for value in 1...3 { stream.success(value) } }
            switch self {
            case .map: return good.map(context: context) { $0 }
            case .flatMap: return good.flatMap(context: context) { _ in inner }
            case .recover: return bad.recover(context: context) { _ in 1 }
            case .recoverWith: return bad.recoverWith(context: context) { _ in good }
            case .andThen: return good.andThen(context: context) { _ in }
            case .delay: return good.delay(.seconds(1), context: context)
            case .timeout: return good.timeout(.seconds(1), context: context)
            case .after: return Future.after(.seconds(1), value: 1, context: context)
            case .retry: return Future.retry(3, context: context) { bad }
            case .retryLater: return Future.retry(3, delay: .seconds(1), context: context) { bad }
            case .sequence: return [good, good].sequence().map(context: context) { $0[0] }
            case .fold: return [good, good].fold(context: context, initial: 0) { $0 + $1 }
            case .reduce: return [good, good].reduce(context: context) { $0 + $1 }
            case .find: return [good, good].find(context: context) { $0 > 1 }
            case .traverse: return [1, 2].traverse { _ in good }.map(context: context) { $0[0] }
            case .boundedTraverse:
                return [1, 2, 3].traverse(maxConcurrent: 1, context: context) { _ in good }.map(context: context) {
                    $0[0]
                }
            case .closure: return future(context: context) { 1 }
            case .stream: paced = derived
            case .scan: paced = stream.scan(0, context: context) { $0 + $1 }
            case .streamFlatMap: paced = stream.flatMap(context: context) { _ in good }
            case .streamRecover:
                paced = stream.flatMap(context: context) { _ in bad }.recover(context: context) { _ in 1 }
            case .debounce: paced = derived.debounce(.seconds(1), context: context)
            case .throttle: paced = derived.throttle(.seconds(1), context: context)
            case .streamReduce: return derived.reduce(0, context: context) { $0 + $1 }
            case .crossing:
                paced = good.flatMap(context: context) { _ in derived }
            }
            let first = Future<Int>()
            first.completeWith(stream: paced)
            return first.map(context: context) { $0 }
        }
    }

    @Test(arguments: Work.allCases, 0..<8)
    func `releasing it releases everything that waits on it, and derived futures break`(_ work: Work, _ steps: Int) {
        let result = Box<Future<Int>?>(nil)
        let watch = Watch { probe in
            let context = ManualContext()
            let future = work.begin(on: context)
            future.onComplete(context: context) { _ in probe.use() }
            future.map(context: context) { $0 }.onComplete(context: context) { _ in probe.use() }
            for step in 0..<steps where !context.runNext() && step < 6 { context.advance(by: .milliseconds(600)) }
            result.value = future
        }
        #expect(watch.isReleased)
        let future = result.value
        #expect(future?.ended != .pending)
        result.value = nil
        #expect(watch.isReleased)
    }
}

@Suite("A user's ExecutionContext", .watchdog)
struct OwnContextTests {
    private let log = Log<Int>()

    @Test func `a traversal is broken by a context that drops its tasks, a timeout not by one that drops its timer`() {
        let traversal = [1, 2].traverse(maxConcurrent: 1, context: DroppingContext()) { Future(value: $0) }
        #expect(traversal.ended == .broken)
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
