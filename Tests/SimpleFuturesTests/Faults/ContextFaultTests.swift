import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Programmer errors: contexts", .watchdog)
struct ContextFaultTests {
    @Test func `while a queue is blocked others continue, and waits for it can time out or be canceled`() {
        let queue = DispatchQueue(label: "blocked")
        queue.suspend()
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
        queue.resume()
        queue.sync {}
        #expect(waiting.ended == .success(1))
        #expect(heard.all == [1, 2, 3])
    }
}

// A user's closure that captures the context keeps it alive, like any closure: there is none here.

@Suite("Programmer errors: a manual context that is released with waiting tasks", .watchdog)
struct ManualContextFaultTests {
    @Test(arguments: ["future", "captures of a future's", "stream", "captures of a stream's", "debounce"])
    func `a callback for the first failure, or the deinit of a capture, can wait for the next one`(_ kind: String) {
        let (context, promise, ended) = (Box<ManualContext?>(ManualContext()), Promise<Int>(), Promise<Void>())
        let stream = FutureStream<Int>(capacity: 0)
        let waits = { @Sendable in _ = try? ended.future.wait() }
        if let context = context.value {
            switch kind {
            case "future":
                let (first, second) = (
                    promise.future.map(context: context) { $0 }, promise.future.map(context: context) { $0 }
                )
                first.onFailure(context: immediate) { _ in waits() }
                second.onFailure(context: immediate) { _ in ended.success() }
            case "captures of a future's":
                let object = AtDeinit(waits)
                promise.future.onSuccess(context: context) { _ in object.use() }
                promise.future.map(context: context) { $0 }.onFailure(context: immediate) { _ in ended.success() }
            case "captures of a stream's":
                let object = AtDeinit(waits)
                stream.onSuccess(context: context) { _ in object.use() }
                stream.map(context: context) { $0 }.onFinish(context: immediate) { ended.success() }
            case "stream":
                let (first, second) = (stream.map(context: context) { $0 }, stream.map(context: context) { $0 })
                first.onFailure(context: immediate) { _ in waits() }
                second.onFinish(context: immediate) { ended.success() }
            default:
                let derived = stream.debounce(.seconds(1), context: context)
                derived.onSuccess(context: immediate) { _ in waits() }
                derived.onFinish(context: DispatchQueue(label: "ContextFaultTests")) { ended.success() }
            }
        }
        promise.success(1)
        stream.success(1)
        #expect(returns { context.value = nil })
        #expect(ended.future.completed)
    }

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
        #expect(result.value?.ended != .pending)
    }
}

@Suite("A user's ExecutionContext", .watchdog)
struct OwnContextTests {
    // `ExactlyOnceTests` has contexts that run tasks twice, at the same time or in another order.

    @Test func `a traversal is broken by a context that drops its tasks, a timeout not by one that drops its timer`() {
        let traversal = [1, 2].traverse(maxConcurrent: 1, context: DroppingContext()) { Future(value: $0) }
        #expect(traversal.ended == .broken)
        let source = Future<Int>()
        let late = source.timeout(.zero, context: TimerDroppingContext())
        #expect(late.ended == .pending)
        source.success(1)
        #expect(late.ended == .success(1))
    }
}
