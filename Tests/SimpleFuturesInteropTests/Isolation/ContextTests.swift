import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Contexts of tasks", .watchdog)
struct ContextTests {
    @Test func `callbacks on two equal contexts keep a common order, without task-local values`() async {
        let (place, executor) = (Place(), DispatchQueue(label: "executor").taskExecutor)
        let queue = QueueContext(queue: Queue("queue"))
        let local = TaskLocalContext(queue, carrying: Locals.$id)
        for (first, second) in [
            (ActorContext(place), ActorContext(place)), (TaskExecutorContext(executor), TaskExecutorContext(executor)),
            (queue, queue), (local, local), (ActorContext(MainActor.shared), QueueContext.main),
            (ActorContext(place), ClockContext(ContinuousClock(), on: ActorContext(place))),
            (local, ClockContext(ContinuousClock(), on: local)),
        ] as [(any ExecutionContext, any ExecutionContext)] {
            let (stream, future) = (FutureStream<Int>(capacity: 0), Future<Int>())
            let (elements, numbers) = (Log<Int>(), Log<Int>())
            @Sendable func note(_ number: Int, in log: Log<Int>) {
                (first as? ActorContext)?.actor.preconditionIsolated()
                // With a task-local value the number would be another one.
                log.add(number + 1_000 * Locals.id)
            }
            stream.onSuccess(context: first) { note($0, in: elements) }
            stream.onSuccess(context: second) { note(-$0, in: elements) }
            for id in 1...100 { Locals.$id.withValue(id) { stream.success(id) } }
            await until { elements.count == 200 }
            #expect(elements.all == (1...100).flatMap { [$0, -$0] })
            for number in 0..<200 {
                future.onSuccess(context: number.isMultiple(of: 2) ? first : second) { _ in
                    note(number, in: numbers)
                }
            }
            Locals.$id.withValue(7) { future.success(1) }
            await until { numbers.count == 200 }
            #expect(numbers.all == Array(0..<200))
        }
        #expect(TaskExecutorContext(executor) != TaskExecutorContext(QueueContext.global.taskExecutor))
        #expect(Set([executor, executor].map(TaskExecutorContext.init)).count == 1)
        #expect(ActorContext(place) != ActorContext(Place()))
    }

    @Test func `contexts that lead to one queue keep a common order`() async {
        let queue = DispatchQueue(label: "shared")
        let contexts: [any ExecutionContext] = [
            queue, TaskExecutorContext(queue.taskExecutor),
            TaskExecutorContext(QueueContext(queue: Queue(queue)).taskExecutor),
            ClockContext(ContinuousClock(), on: queue),
        ]
        let (stream, future) = (FutureStream<Int>(capacity: 0), Future<Int>())
        let (elements, numbers) = (Log<Int>(), Log<Int>())
        for (index, context) in contexts.enumerated() {
            stream.onSuccess(context: context) { elements.add($0 * contexts.count + index) }
        }
        // From the last to the first, because a future may give a thread its contexts of one kind before the others.
        for (index, context) in contexts.reversed().enumerated() {
            future.onSuccess(context: context) { _ in numbers.add(index) }
        }
        queue.suspend()
        for number in 0..<100 { stream.success(number) }
        future.success(1)
        queue.resume()
        await until { elements.count == 400 && numbers.count == 4 }
        #expect(elements.all == Array(0..<400))
        #expect(numbers.all == Array(0..<4))
    }

    @Test func `ActorContext: timers run on the actor`() async {
        let place = Place()
        #expect(await Future(value: 1).delay(.milliseconds(1), context: ActorContext(place)).outcome.value == 1)
        let done = AsyncGate()
        let timer = ActorContext(place).execute(after: .seconds(1_000)) {}
        #expect(timer.cancel())
        ActorContext(place).execute(after: .zero) {
            place.preconditionIsolated()
            done.open()
        }
        await done.pass()
    }

    @Test func `the main actor's contexts are the main queue`() async {
        for context in [ActorContext(MainActor.shared), QueueContext.main] as [any ExecutionContext] {
            let (called, executed) = (AsyncGate(), AsyncGate())
            @Sendable func open(_ gate: AsyncGate) {
                MainActor.assertIsolated()
                dispatchPrecondition(condition: .onQueue(.main))
                gate.open()
            }
            Future(value: 1).onSuccess(context: context) { _ in open(called) }
            context.execute { open(executed) }
            await called.pass()
            await executed.pass()
        }
    }

    @Test func `TaskLocalContext: callbacks see the values from its creation`() async {
        let context = Locals.$id.withValue(3) {
            Locals.$name.withValue("Ada") {
                TaskLocalContext(DispatchQueue(label: "locals"), carrying: Locals.$id, Locals.$name)
            }
        }
        let future = Future<Int>()
        let seen = future.map(context: context) { _ in "\(Locals.id) \(Locals.name)" }
        let plain = future.map(context: immediate) { _ in "\(Locals.id) \(Locals.name)" }
        let task = future.flatMap(context: context) { _ in Future { "\(Locals.id)" } }
        let clock = ManualContext()
        let delayed = Locals.$name.withValue("Ada") { TaskLocalContext(clock, carrying: Locals.$name) }
        let later = Future(value: 1).delay(.seconds(1), context: delayed)
            .map(context: immediate) { _ in Locals.name }
        clock.advance(by: .seconds(1))
        Locals.$id.withValue(8) { future.success(1) }
        #expect(await seen.outcome.value == "3 Ada")
        #expect(await plain.outcome.value == "8 unknown")
        #expect(await task.outcome.value == "3")
        #expect(await later.outcome.value == "Ada")
    }

    @Test func `TaskLocalContext: what waits for a manual context does not keep it alive`() {
        let source = Future<Int>()
        let futures = Box<[Future<Int>]>([])
        let watch = Watch { probe in
            let clock = ManualContext()
            let context = TaskLocalContext(clock, carrying: Locals.$id)
            futures.value = [
                source.map(context: context) { $0 },
                Future(value: 1).map(context: context) { number in
                    probe.use()
                    return number
                },
                Future.retry(3, delay: .seconds(1), context: context) { Future<Int>(error: Oops.thrown) },
                Future(value: 1).delay(.seconds(1), context: context),
            ]
            clock.runNext()
            clock.runNext()
        }
        #expect(watch.isReleased)
        source.success(1)
        #expect(futures.value.allSatisfy { $0.result != nil })
    }

    @Test func `a queue as a task executor`() async {
        let queue = DispatchQueue(label: "executor")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        for executor in [queue.taskExecutor, QueueContext(queue: Queue(queue)).taskExecutor] {
            let isThere = await Task(executorPreference: executor) {
                await Task.yield()
                return await here(key)
            }.value
            #expect(isThere)
            let isThereInside = await withTaskExecutorPreference(executor) { await here(key) }
            #expect(isThereInside)
            let context = TaskExecutorContext(executor)
            #expect(
                await Future(value: 1).map(context: context) { _ in DispatchQueue.getSpecific(key: key) }.outcome.value
                    == true)
        }
        #expect(await Task(executorPreference: QueueContext.global.taskExecutor) { 2 }.value == 2)
    }

    // The runtime keeps jobs forever that an executor does not run: a task cannot be dropped. Futures that depend on it
    // stay pending; a timeout on another context, or a token, ends the wait.

    enum Kind: CaseIterable { case task, actor }

    private func context(_ kind: Kind, _ executor: Executor) -> any ExecutionContext {
        kind == .task ? TaskExecutorContext(executor) : ActorContext(Guest(executor))
    }

    @Test(arguments: Kind.allCases)
    func `work of a stopped executor stays pending, and can time out or be canceled`(_ kind: Kind) async {
        let executor = Executor()
        let context = context(kind, executor)
        #expect(await Future(value: 1).map(context: context) { $0 }.outcome.value == 1)
        executor.shutDown()
        let (clock, token) = (ManualContext(), CancelToken())
        let mapped = Future(value: 1).map(context: context) { $0 + 1 }
        let late = mapped.timeout(.seconds(30), context: clock)
        let cancelled = Future(value: 1).map(context: context, cancelToken: token) { $0 }
        await until { executor.refused == 2 }
        clock.advance(by: .seconds(30))
        token.cancel()
        #expect(late.result?.error as? FuturesError == .timedOut && cancelled.isCancelled)
        #expect(mapped.result == nil)
        executor.reopen()
        #expect(await mapped.outcome.value == 2)
        #expect(cancelled.isCancelled)
    }
}

private actor Place {}

@concurrent private func here(_ key: DispatchSpecificKey<Bool>) async -> Bool {
    DispatchQueue.getSpecific(key: key) ?? false
}

/// An executor that accepts jobs while it is open, and keeps later ones forever.
private final class Executor: TaskExecutor, SerialExecutor {
    private let queue = DispatchQueue(label: "executor")
    private let state = Lock((isOpen: true, refused: [UnownedJob]()))

    var refused: Int { state.withLock { $0.refused.count } }

    func shutDown() { state.withLock { $0.isOpen = false } }

    /// Runs the refused jobs, so that the test leaves nothing behind.
    func reopen() {
        let jobs = state.withLock { state in
            state.isOpen = true
            return state.refused
        }
        for job in jobs { run(job) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isTaken = state.withLock { state in
            if !state.isOpen { state.refused.append(job) }
            return state.isOpen
        }
        if isTaken { run(job) }
    }

    private func run(_ job: UnownedJob) {
        queue.async {
            job.runSynchronously(isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
        }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

private actor Guest {
    let executor: Executor

    init(_ executor: Executor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}
