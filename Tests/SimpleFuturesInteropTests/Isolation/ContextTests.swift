import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Contexts of tasks", .watchdog)
struct ContextTests {
    @Test func `ActorContext: callbacks run on the actor, in order`() async {
        let place = Place()
        let context = ActorContext(place)
        let future = Future<Int>()
        let seen = Box<[Int]>([])
        for number in 0..<200 {
            future.onSuccess(context: number.isMultiple(of: 2) ? context : ActorContext(place)) { _ in
                place.preconditionIsolated()
                seen.append(number)
            }
        }
        future.success(1)
        await until { seen.value.count == 200 }
        #expect(seen.value == Array(0..<200))
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
            let done = AsyncGate()
            Future(value: 1).onSuccess(context: context) { _ in
                MainActor.assertIsolated()
                dispatchPrecondition(condition: .onQueue(.main))
                done.open()
            }
            await done.pass()
            let executed = AsyncGate()
            context.execute {
                MainActor.assertIsolated()
                executed.open()
            }
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
        let task = future.flatMap(context: context) { _ in
            Future {
                await Task.yield(); return "\(Locals.id)"
            }
        }
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

    @Test func `callbacks on an actor or an executor have no task-local values, and keep their order`() async {
        let contexts: [any ExecutionContext] = [
            ActorContext(Place()), TaskExecutorContext(DispatchQueue(label: "executor").taskExecutor),
            QueueContext(queue: Queue("queue")),
        ]
        for context in contexts {
            let (stream, seen) = (FutureStream<Int>(), Log<String>())
            stream.onSuccess(context: context) { seen.add("\($0): \(Locals.id)") }
            for id in 1...100 { Locals.$id.withValue(id) { stream.success(id) } }
            await until { seen.count == 100 }
            #expect(seen.all == (1...100).map { "\($0): 0" })
            let (future, ids) = (Future<Int>(), Log<Int>())
            for _ in 1...100 { future.onSuccess(context: context) { _ in ids.add(Locals.id) } }
            Locals.$id.withValue(7) { future.success(1) }
            await until { ids.count == 100 }
            #expect(ids.all.allSatisfy { $0 == 0 })
        }
    }

    @Test func `TaskLocalContext: all subscribers on one context get an element before the next one`() async {
        let context = TaskLocalContext(QueueContext(queue: Queue("locals")), carrying: Locals.$id)
        let stream = FutureStream<Int>()
        let seen = Box<[Int]>([])
        for subscriber in 0..<3 {
            stream.onSuccess(context: context) { number in seen.append(number * 10 + subscriber) }
        }
        for number in 0..<50 { stream.success(number) }
        stream.finish()
        await until { seen.value.count == 150 }
        var expected: [Int] = []
        for number in 0..<50 { for subscriber in 0..<3 { expected.append(number * 10 + subscriber) } }
        #expect(seen.value == expected)
    }

    @Test func `callbacks on two contexts of one actor, or of one executor, keep a common order`() async {
        let (place, queue) = (Place(), DispatchQueue(label: "executor"))
        let executor = queue.taskExecutor
        for (first, second) in [
            (ActorContext(place), ActorContext(place)), (TaskExecutorContext(executor), TaskExecutorContext(executor)),
        ] as [(any ExecutionContext, any ExecutionContext)] {
            let stream = FutureStream<Int>(capacity: 0)
            let seen = Box<[Int]>([])
            stream.onSuccess(context: first) { seen.append($0) }
            stream.onSuccess(context: second) { seen.append(-$0) }
            for number in 1...100 { stream.success(number) }
            await until { seen.value.count == 200 }
            #expect(seen.value == (1...100).flatMap { [$0, -$0] })
        }
        #expect(TaskExecutorContext(executor) != TaskExecutorContext(QueueContext.global.taskExecutor))
        #expect(ActorContext(place) != ActorContext(Place()))
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

    @Test func `a serial executor as a context keeps the order`() async {
        let queue = DispatchQueue(label: "executor")
        let context = TaskExecutorContext(queue.taskExecutor)
        let future = Future<Int>()
        let seen = Box<[Int]>([])
        for number in 0..<200 { future.onSuccess(context: context) { _ in seen.append(number) } }
        future.success(1)
        await until { seen.value.count == 200 }
        #expect(seen.value == Array(0..<200))
    }

    // MARK: Executors that are shut down

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
        #expect(late.result?.error as? FuturesError == .timedOut)
        #expect(cancelled.isCancelled)
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
