import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 3: user code runs on the context it was registered with, the library's own work on none", .watchdog)
struct OnItsContextTests {
    @Test(arguments: FutureCombinator.all.filter { $0.takesContext && $0.name != "traverse" }, [true, false])
    func `the closure of every combinator runs on its queue`(_ combinator: FutureCombinator, _ isEarly: Bool) throws {
        let queue = MarkedQueue()
        let places = Log<Bool>()
        let promise = Promise<Int>()
        func complete() { promise.complete(combinator.runs == .error ? .failure(Failure()) : .success(1)) }

        if !isEarly { complete() }
        let derived = combinator.apply(to: promise.future, on: queue.context) { _ in places.add(queue.isCurrent) }
        if isEarly { complete() }
        _ = try? derived.wait(timeout: .seconds(600))
        queue.settle()
        #expect(places.all == Array(repeating: true, count: combinator.runCount))
    }

    @Test func `onCancel, and the closure that decides about a retry, run on their queue`() {
        let queue = MarkedQueue()
        let places = Log<Bool>()
        let decide = { @Sendable (_: any Error) in
            places.add(queue.isCurrent)
            return true
        }
        let retried = Future<Int>.retry(2, context: queue.context, while: decide) { throw Failure() }
        _ = try? retried.wait(timeout: .seconds(600))
        #expect(places.all == [true])
        let token = CancelToken()
        let promise = Promise<Int>()
        let derived = promise.future.map(cancelToken: token) { $0 }
        derived.onCancel(context: queue.context) { places.add(queue.isCurrent) }
        token.cancel()
        derived.onCancel(context: queue.context) { places.add(queue.isCurrent) }
        queue.settle()
        #expect(places.all == [true, true, true])
    }

    @Test(arguments: FutureCombinator.all.filter { $0.runs == .never || $0.name == "traverse" })
    func `a context passed to a call without a closure is not used`(_ combinator: FutureCombinator) {
        let context = InlineContext()
        let clock = ManualContext()
        let promise = Promise<Int>()
        let derived = combinator.apply(to: promise.future, on: context, clock: clock)
        promise.success(4)
        if combinator.waits { clock.advance(by: .seconds(1)) }
        #expect(derived.completed)
        #expect(context.count == 0)
    }

    @Test func `a callback runs on its context even if a race has left the future, which is about to deliver`() {
        let (future, context) = (Future<Int>(), ManualContext())
        _ = [future, Future()].firstCompleted()
        Future(value: 0).onSuccess(context: ImmediateContext()) { _ in
            future.success(1)
            future.onSuccess(context: context) { _ in }
        }
        #expect(context.pendingCount == 1)
    }

    @Test func `inside a wait, a value-type context runs all remaining elements of an ended stream`() {
        let (stream, context, places) = (FutureStream<Int>(), Keeping(), Log<Bool>())
        for number in 1...3 { stream.success(number) }
        stream.finish()
        stream.onSuccess(context: context) { _ in places.add(context.isCurrent.value) }
        Future(value: 0).onSuccess(context: immediate) { _ in
            Future(value: 0).onSuccess(context: Running(first: context)) { _ in }
            ImmediateContext.runPending()
        }
        #expect(places.all == [true, true, true])
    }

    @Test(arguments: FutureCombinator.all.filter { $0.takesClosure && $0.takesToken })
    func `a future whose closure is dropped by its context is broken, not pending`(_ combinator: FutureCombinator) {
        let (promise, token) = (Promise<Int>(), CancelToken())
        let plain = combinator.apply(to: promise.future, on: DroppingContext())
        let tokened = combinator.apply(to: promise.future, on: DroppingContext(), under: token)
        promise.complete(combinator.runs == .error ? .failure(Failure()) : .success(1))
        #expect([plain.ended, tokened.ended] == [.broken, .broken])
        #expect(promise.future.observerCount == 0)
        #expect(token.registrationCount == 0)
        #expect(future(context: DroppingContext()) { 1 }.ended == .broken)
    }
}

/// A context that keeps its tasks.
private struct Keeping: ExecutionContext {
    let isCurrent = Box(false)
    private let tasks = Box<[@Sendable () -> Void]>([])

    func execute(_ task: @escaping @Sendable () -> Void) { tasks.append(task) }

    func run() {
        isCurrent.value = true
        for task in tasks.value { task() }
        isCurrent.value = false
    }
}

/// A context that runs the tasks of another one before its own.
private struct Running: ExecutionContext {
    let first: Keeping

    func execute(_ task: @escaping @Sendable () -> Void) {
        first.run()
        task()
    }
}

/// A serial queue that can tell whether the current code runs on it.
private struct MarkedQueue: Sendable {
    private let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "marked")

    init() { queue.setSpecific(key: key, value: true) }

    var context: any ExecutionContext { QueueContext(queue: Queue(queue)) }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    func settle() { queue.sync {} }
}
