import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 3: user code runs on the context it was registered with, the library's own work on none", .watchdog)
struct OnItsContextTests {
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
