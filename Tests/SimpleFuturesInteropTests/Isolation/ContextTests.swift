import Dispatch
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
                seen.change { $0.append(number) }
            }
        }
        future.success(1)
        await until { seen.value.count == 200 }
        #expect(seen.value == Array(0..<200))
    }

    @Test func `ActorContext: it waits, too`() async {
        let place = Place()
        let value = await Future(value: 1).delay(.milliseconds(1), context: ActorContext(place)).outcome.value
        #expect(value == 1)
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
        for context in [ActorContext(MainActor.shared), MainActorContext(), QueueContext.main] as [any ExecutionContext]
        {
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

    @Test func `TaskLocalContext: callbacks see the values of the one who has made it`() async {
        let context = Locals.$id.withValue(3) {
            Locals.$name.withValue("Ada") {
                TaskLocalContext(DispatchQueue(label: "locals"), carrying: Locals.$id, Locals.$name)
            }
        }
        let future = Future<Int>()
        let seen = future.map(context: context) { _ in "\(Locals.id) \(Locals.name)" }
        let plain = future.map(context: ImmediateContext()) { _ in "\(Locals.id) \(Locals.name)" }
        let task = future.flatMap(context: context) { _ in
            Future {
                await Task.yield(); return "\(Locals.id)"
            }
        }
        let clock = ManualContext()
        let delayed = Locals.$name.withValue("Ada") { TaskLocalContext(clock, carrying: Locals.$name) }
        let later = Future(value: 1).delay(.seconds(1), context: delayed)
            .map(context: ImmediateContext()) { _ in Locals.name }
        clock.advance(by: .seconds(1))
        Locals.$id.withValue(8) { future.success(1) }
        #expect(await seen.outcome.value == "3 Ada")
        #expect(await plain.outcome.value == "8 nobody")
        #expect(await task.outcome.value == "3")
        #expect(await later.outcome.value == "Ada")
    }

    @Test func `TaskLocalContext: subscribers on one of them get element by element`() async {
        let context = TaskLocalContext(QueueContext(queue: Queue("locals")), carrying: Locals.$id)
        let stream = FutureStream<Int>()
        let seen = Box<[Int]>([])
        for subscriber in 0..<3 {
            stream.onSuccess(context: context) { number in seen.change { $0.append(number * 10 + subscriber) } }
        }
        for number in 0..<50 { stream.success(number) }
        stream.finish()
        await until { seen.value.count == 150 }
        var expected: [Int] = []
        for number in 0..<50 { for subscriber in 0..<3 { expected.append(number * 10 + subscriber) } }
        #expect(seen.value == expected)
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
    }

    @Test func `an actor as a task executor`() async {
        let place = Place()
        let executor = ActorContext(place).taskExecutor
        for _ in 0..<Stress.rounds(100) {
            let sum = await Task(executorPreference: executor) {
                await check(place)
                var sum = await place.add(1)
                await check(place)
                await Task.yield()
                sum += await withTaskGroup(of: Int.self) { group in
                    for number in 0..<4 { group.addTask { await place.add(number) } }
                    return await group.reduce(0, +)
                }
                await check(place)
                return sum
            }.value
            if sum != 12 { Issue.record("\(sum)") }
        }
    }

    @Test func `an executor as a context keeps the order, if it does`() async {
        let queue = DispatchQueue(label: "executor")
        let context = TaskExecutorContext(queue.taskExecutor)
        let future = Future<Int>()
        let seen = Box<[Int]>([])
        for number in 0..<200 { future.onSuccess(context: context) { _ in seen.change { $0.append(number) } } }
        future.success(1)
        await until { seen.value.count == 200 }
        #expect(seen.value == Array(0..<200))
    }
}

private actor Place {
    /// Whether the actor is at work.
    nonisolated let isBusy = Box(false)

    func add(_ number: Int) -> Int {
        isBusy.value = true
        for _ in 0..<100 { _ = isBusy.value }
        isBusy.value = false
        return number + 1
    }
}

@concurrent private func here(_ key: DispatchSpecificKey<Bool>) async -> Bool {
    DispatchQueue.getSpecific(key: key) ?? false
}

/// Where the actor runs, it does nothing else meanwhile.
@concurrent private func check(_ place: Place) async {
    for _ in 0..<100 where place.isBusy.value { Issue.record("beside other work of the actor") }
}
