import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

// `RoundTripTests` tests that the closure's result is the future's, `ModelTests` that a CancellationError is a failure,
// `IsolatedTests` that closures of one actor begin in the order of the calls.

@Suite("Futures of asynchronous closures", .watchdog)
struct FutureFromAsyncTests {
    @Test func `the task has the name, the priority and the task-local values of the call`() async {
        await Locals.$id.withValue(7) {
            let seen = Future(name: "loader", priority: .low) { () async -> (String?, TaskPriority, Int) in
                await Task.yield()
                return (Task.name, Task.basePriority ?? .medium, Locals.id)
            }
            let (name, priority, id) = await seen.outcome.value ?? (nil, .high, 0)
            #expect(name == "loader")
            #expect(priority == .low && id == 7)
        }
    }

    @Test func `the result of a task is released with its futures`() async {
        final class Value: Sendable {}
        weak var value: Value?
        do {
            let task = Task { Value() }
            let result = await task.future.outcome.value
            value = result
            #expect(value != nil)
        }
        await until { value == nil }
    }

    @Test func `the value of a task is released when flatMap waits for its inner future`() async {
        final class Value: Sendable {}
        let (inner, gate) = (Promise<Int>(), Promise<Void>())
        let value = Box<Value?>(Value())
        weak let released = value.value
        var source: Future<Value>? = Future { [gate] in
            try await gate.future.value
            return value.change { $0.take() }.unsafelyUnwrapped
        }
        let entered = Promise<Void>()
        let derived = source?.flatMap(context: immediate) { [inner] _ in
            entered.success()
            return inner.future
        }
        gate.success()
        source = nil
        await until { entered.completed && released == nil }
        #expect(derived?.completed == false)
        inner.success(1)
        #expect(derived?.result?.value == 1)
    }

    @Test func `a main-actor function passed from outside the main actor runs there`() async {
        #expect(await Future(operation: onMain).outcome.value == 1)
    }

    @Test func `the closure can return a future, in spite of the hint for forgotten awaits`() async {
        let nested = Future<Future<Int>> { Future(value: 1) }
        let untyped = Future { Future(value: 2) }
        #expect(await nested.outcome.value?.outcome.value == 1)
        #expect(await untyped.outcome.value?.outcome.value == 2)
    }

    @Test func `dropping the future does not cancel the task, and captures are released at the end`() async {
        let (ended, alive) = (Promise<Bool>(), Tally())
        _ = Future { [captive = Captive(alive)] in
            await Task.yield()
            ended.success(Task.isCancelled)
            captive.touch()
        }
        #expect(await ended.future.outcome.value == false)
        await until { alive.count == 0 }
    }

    @Test func `completeWith: the promise can be released, and the task is returned`() async {
        let gate = Future<Int>()
        var promise: Promise<Int>? = Promise()
        let future = promise!.future
        let task = promise!.completeWith { try await gate.value }
        promise = nil
        #expect(!future.completed)
        gate.success(3)
        #expect(await future.outcome.value == 3)
        await task.value
    }

    @Test func `completeWith: its task can be canceled, even before it begins`() async {
        let (promise, running, gate, token) = (Promise<Int>(), Promise<Int>(), Future<Int>(), CancelToken())
        let task = await MainActor.run {
            let task = promise.completeWith(cancelToken: token) { @MainActor in 1 }
            #expect(token.registrationCount == 1)
            task.cancel()
            return task
        }
        await task.value
        #expect(promise.future.result?.error is CancellationError && token.registrationCount == 0)
        let work = running.completeWith { try await gate.value }
        await until { gate.observerCount == 1 }
        work.cancel()
        #expect(await running.future.outcome.error is CancellationError)
    }

    @Test func `completeWith: another completion can be first, and the closure runs all the same`() async {
        let (promise, gate, late) = (Promise<Int>(), Future<Int>(), Box(0))
        let task = promise.completeWith { try await gate.value }
        promise.success(1)
        gate.success(2)
        await task.value
        #expect(promise.future.result?.value == 1)
        await promise.completeWith {
            late.value = 2
            return 2
        }.value
        #expect(late.value == 2)
    }

    @Test func `a running task has one future`() async {
        let gate = Future<Int>()
        let task = Task { try await gate.value }
        #expect(task.future === task.future)
        gate.success(4)
        #expect(await task.future.outcome.value == 4)
    }
}

@MainActor private func onMain() async -> Int {
    MainActor.assertIsolated()
    return 1
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
private actor Other {
    private var hasRun = false
    private func run() { hasRun = true }

    func start() -> (Future<Int>, Bool) {
        let future = Future.immediate { () async throws -> Int in
            self.run()
            return 1
        }
        return (future, hasRun)
    }
}

@Suite("Future.immediate: a closure that begins before the call returns", .watchdog)
struct ImmediateFutureTests {
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @MainActor @Test func `on the main actor it runs to the first suspension before the call returns`() async throws {
        var steps: [String] = []
        let gate = Promise<Int>()
        let future = Future.immediate {
            steps.append("begun")
            let value = try await gate.future.value
            steps.append("resumed")
            return value
        }
        steps.append("returned")
        #expect(steps == ["begun", "returned"])
        gate.success(4)
        #expect(try await future.value == 4)
        #expect(steps == ["begun", "returned", "resumed"])
        let number = 3
        #expect(Future.immediate { () async throws -> Int in number + 1 }.ended == .success(4))
        #expect(Future<Int>.immediate { () async throws -> Int in throw Oops.thrown }.ended == .failure(Oops.thrown))
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `on another actor, or on none, it begins at once too, and isolated to a third one later`() async {
        let (future, hasRun) = await Other().start()
        #expect(hasRun)
        #expect(future.ended == .success(1))
        #expect(Future.immediate { () async throws -> Int in 4 }.ended == .success(4))
        #expect(await Future.immediate(operation: onMain).outcome.value == 1)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a token cancels the task, whose result counts, and prevents one that has not begun`() async throws {
        let (token, gate) = (CancelToken(), Promise<Int>())
        let future = Future.immediate(name: "upload", cancelToken: token) { () async throws -> Int in
            _ = await gate.future.outcome
            return Task.isCancelled ? 1 : 2
        }
        #expect(!future.completed)
        token.cancel()
        #expect(try await future.value == 1)
        #expect(token.registrationCount == 0)
        let late = Future.immediate(cancelToken: token) { () async throws -> Int in
            Issue.record("it has run")
            return 1
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `a token that the closure cancels before its first suspension cancels the task`() async throws {
        let token = CancelToken()
        let future = Future.immediate(cancelToken: token) { () async throws -> Bool in
            token.cancel()
            // The call that creates the future cancels the task when the closure suspends.
            await until { Task.isCancelled }
            return Task.isCancelled
        }
        #expect(try await future.value)
    }
}

@Suite("A future keeps its worker while it is pending", .watchdog)
struct WorkerTests {
    @Test func `a derived future keeps its source only until it has ended`() async {
        let gate = Promise<Int>()
        weak var source: Future<Int>?
        weak var derived: Future<Int>?
        do {
            let future = Future { try await gate.future.value }
            let token = CancelToken()
            source = future
            derived = future.map { $0 }
            let cancelled = future.map(cancelToken: token) { $0 }
            #expect(cancelled.upstreams.first === future)
            token.cancel()
            #expect(cancelled.upstreams.isEmpty)
        }
        gate.success(1)
        await until { source == nil && derived == nil }
    }

    @Test(arguments: Source.Ending.allCases)
    func `it is released when the future ends, and not kept after that`(_ ending: Source.Ending) {
        let (source, alive) = (Source(), Tally())
        source.future.keep(Captive(alive))
        #expect(alive.count == 1 && source.future.hasWorker)
        source.end(ending)
        for _ in 0..<2 {
            #expect(alive.count == 0 && !source.future.hasWorker)
            source.future.keep(Captive(alive))
        }
    }

    @Test func `it is released when another one replaces it, and with a future that never ends`() {
        let (first, second) = (Tally(), Tally())
        do {
            let future = Future<Int>()
            future.keep(Captive(first))
            #expect(first.count == 1)
            future.keep(Captive(second))
            #expect(first.count == 0 && second.count == 1)
        }
        #expect(second.count == 0)
    }

    @Test func `values of every size can replace it, before callbacks run`() {
        let (alive, left) = (Tally(), Log<Int>())
        let (none, small, large) = (Future<Void>(), Future<[Int]>(), Future<Large>())
        for future in [none, small, large] as [AnyFuture] { future.keep(Captive(alive)) }
        small.onSuccess(context: immediate) { _ in left.add(alive.count) }
        none.success(())
        small.success([1, 2])
        #expect(left.all == [1])
        large.success(Large(words: (1, 2, 3, 4)))
        #expect(alive.count == 0)
        #expect(small.result?.value == [1, 2])
        #expect(large.result?.value?.words.3 == 4)
    }

    @Test func `reading it races with the end`() async {
        for _ in 0..<Stress.rounds(500) {
            let (future, alive) = (Future<Int>(), Tally())
            future.keep(Captive(alive))
            await withTaskGroup { group in
                group.addTask { future.success(1) }
                group.addTask { future.touchKept() }
                group.addTask { future.keep(Captive(alive)) }
            }
            #expect(alive.count == 0 && future.result?.value == 1)
        }
    }
}

/// Larger than a future's inline storage.
private struct Large: Sendable { let words: (Int, Int, Int, Int) }

extension AnyFuture {
    /// Sets a worker that holds the captive.
    fileprivate func keep(_ captive: Captive) { setWorker(.upstream(Future(value: captive))) }

    fileprivate var hasWorker: Bool { worker != nil }

    fileprivate func touchKept() {
        if case .upstream(let kept) = worker { kept.future(of: Captive.self).result?.value?.touch() }
    }
}
