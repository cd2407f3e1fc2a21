@testable import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("The priority of waiters reaches the producer", .watchdog)
struct EscalationTests {
    /// A way to create a future that a task of low priority completes.
    enum Producer: CaseIterable, Sendable {
        case futureOfClosure, immediateFuture, completeWith, asyncMap, asyncForEach, taskFuture

        func start(_ body: @escaping @Sendable () async -> Void) async -> Future<Void> {
            switch self {
            case .futureOfClosure: return Future(priority: .background) { await body() }
            case .immediateFuture:
                guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
                    return Future(priority: .background) { await body() }
                }
                return await Task.detached(priority: .background) {
                    Future.immediate(priority: .background) { await body() }
                }.value
            case .completeWith:
                let promise = Promise<Void>()
                promise.completeWith(priority: .background) { await body() }
                return promise.future
            case .asyncMap: return Future(value: ()).asyncMap(priority: .background) { await body() }
            case .asyncForEach:
                let stream = FutureStream<Int>()
                stream.success(1)
                stream.finish()
                return stream.asyncForEach(priority: .background) { _ in await body() }
            case .taskFuture:
                let task = Task(priority: .background) { await body() }
                return await Task.detached(priority: .background) { task.future }.value
            }
        }
    }

    /// The isolation of a waiting task.
    enum Place: CaseIterable, Sendable {
        case offAnyActor, onAnActor

        func wait(for future: Future<Void>, priority: TaskPriority) -> Task<Void, Never> {
            switch self {
            case .offAnyActor: Task(priority: priority) { _ = await future.outcome }
            case .onAnActor: Task(priority: priority) { @MainActor in _ = await future.outcome }
            }
        }
    }

    @Test(arguments: Producer.allCases, Place.allCases)
    func `a waiter of higher priority raises it, even if that is raised during the wait`(
        _ producer: Producer, _ place: Place
    ) async {
        await place.wait(for: await producer.start(untilRaised), priority: .high).value

        let future = await producer.start(untilRaised)
        let waiter = place.wait(for: future, priority: .background)
        await until { future.observerCount > 0 }
        // Waiting for a task raises it.
        await Task(priority: .high) { await waiter.value }.value
    }

    /// A future whose task begins after the promise is completed, and may have a waiter before that.
    enum Latecomer: CaseIterable, Sendable {
        case flatMap, recoverWith, derivedFromIt, derivedWithToken, derivedTwice, input, secondInput, fold, asyncMap
        case timeout, retry

        func future(after start: Future<Void>) -> Future<Void> {
            let slow = { @Sendable (_: Void) in Future(priority: .background) { await untilRaised() } }
            let late = start.flatMap(context: immediate, mapping: slow)
            switch self {
            case .flatMap: return late
            case .recoverWith:
                return start.map(context: immediate) { throw Oops.source }
                    .recoverWith(context: immediate) { _ in slow(()) }
            case .derivedFromIt: return late.map(context: immediate) { $0 }
            case .derivedWithToken: return late.map(context: immediate, cancelToken: CancelToken()) { $0 }
            case .derivedTwice: return late.flatMap(context: immediate) { slow(()) }.asVoid()
            case .input: return late.zip(Future(value: 1)).asVoid()
            case .secondInput:
                late.onFailure(context: immediate) { _ in }
                return late.zip(Future(value: 1)).asVoid()
            case .fold:
                return [late, start.flatMap(context: immediate, mapping: slow)]
                    .fold(context: immediate, initial: ()) { _, _ in }
            case .asyncMap: return late.asyncMap { _ in }
            case .timeout: return late.timeout(.seconds(1_000))
            case .retry:
                return Future.retry(2, context: immediate) { start.flatMap(context: immediate, mapping: slow) }
            }
        }
    }

    @Test(arguments: Latecomer.allCases, Place.allCases)
    func `a waiter raises a task that begins during the wait`(_ latecomer: Latecomer, _ place: Place) async {
        let start = Promise<Void>()
        let future = latecomer.future(after: start.future)
        let waiter = place.wait(for: future, priority: .high)
        await until { future.observerCount > 0 }
        await Task.detached(priority: .background) { start.success() }.value
        await waiter.value
    }

    @Test(arguments: Place.allCases)
    func `a waiter raises a task that is to complete the promise, and begins during the wait`(_ place: Place) async {
        for derive in [{ $0 }, { $0.map(context: immediate) { $0 } }] as [(Future<Void>) -> Future<Void>] {
            let promise = Promise<Void>()
            let future = derive(promise.future)
            let waiter = place.wait(for: future, priority: .high)
            await until { future.observerCount > 0 }
            promise.completeWith(priority: .background) { await untilRaised() }
            await waiter.value
        }
    }

    @Test func `the future of a task that a token watches already raises it too`() async {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let task = Task(priority: .background) { await until { Task.currentPriority >= .high } }
        let token = CancelToken()
        token.link(task)
        let future = await Task.detached(priority: .high) { task.future }.value
        // Not an await, which would raise the task itself.
        await withCheckedContinuation { done in future.onComplete(context: immediate) { _ in done.resume() } }
    }

    // A stream has no task that could be raised.
    @Test(arguments: FutureCombinator.all.filter { !$0.waits && $0.inner != .stream }, Place.allCases)
    func `a waiter of a derived future raises it`(_ combinator: FutureCombinator, _ place: Place) async {
        for token in [CancelToken.none, CancelToken()] {
            let source = await Producer.futureOfClosure.start(untilRaised).map(context: immediate) { 1 }
            await place.wait(for: combinator.apply(to: source, under: token).asVoid(), priority: .high).value
        }
    }

    @Test(arguments: Place.allCases)
    func `it also raises inner futures, sources of asynchronous closures, and inputs of inputs`(_ place: Place) async {
        let derivations: [(Future<Void>) -> Future<Void>] = [
            { future in Future(value: ()).flatMap(context: immediate) { future } },
            { $0.asyncMap(priority: .background) { $0 }.asyncRecover(priority: .background) { _ in } },
            { [$0.zip($0).asVoid(), $0].sequence().asVoid() },
        ]
        for derive in derivations {
            let future = await Producer.futureOfClosure.start(untilRaised)
            await place.wait(for: derive(future), priority: .high).value
        }
    }

    @Test func `a waiter raises the tasks behind all of many inputs`() async {
        let futures = (0..<400).map { _ in Future(priority: .background) { await untilRaised() } }
        await Task(priority: .high) { _ = await futures.map { $0.map { $0 } }.sequence().outcome }.value
    }

    @Test func `a loop over the results of futures raises the tasks behind them`() async {
        for isInOrder in [true, false] {
            let futures = (0..<10).map { _ in Future(priority: .background) { await untilRaised() }.map { 1 } }
            // Not an await of a future.
            let sum = Task.detached(priority: .high) {
                var sum = 0
                if isInOrder {
                    for try await value in futures.valuesInOrder { sum += value }
                } else {
                    for await (_, result) in futures.completions { sum += result.value ?? 0 }
                }
                return sum
            }
            #expect(await Try(sum.result).value == 10)
        }
    }

    @Test func `of more than a thousand sources, the first thousand are visited`() async {
        let gate = Promise<Void>()
        let source = Future { try await gate.future.value }
        let combined = (0...Lifeline.mostUpstreams).map { _ in source.map { $0 } }.sequence()
        #expect(combined.upstreams.count == Lifeline.mostUpstreams)
        gate.success()
        _ = await combined.outcome
    }

    @Test func `a waiter raises the tasks of a bounded traversal that has ended a thousand`() async {
        let count = Lifeline.mostUpstreams + 10
        let last = Promise<Void>()
        let all = (1...count).traverse(maxConcurrent: 2, context: ImmediateContext()) { number in
            Future(priority: .background) {
                guard number == count else { return }
                last.success()
                await untilRaised()
            }
        }
        _ = await Task.detached(priority: .background) { await last.future.outcome }.value
        #expect(await Task(priority: .high) { await all.outcome.value?.count }.value == count)
    }

    @Test func `a second waiter of a long chain raises its task too`() async {
        let first = await Producer.futureOfClosure.start(untilRaised)
        let middle = (0..<600).reduce(first) { last, _ in last.map(context: immediate) { $0 } }
        let end = (0..<900).reduce(middle) { last, _ in last.map(context: immediate) { $0 } }
        async let one: Void = Task(priority: .high) { _ = await end.outcome }.value
        async let other: Void = Task(priority: .high) { _ = await middle.outcome }.value
        _ = await (one, other)
    }

    @Test func `work that comes to the source of many futures, or of a long chain, needs constant stack`() async {
        let promise = Promise<Int>()
        let many = (0..<10_000 * Stress.factor).map { _ in promise.future.map(context: immediate) { $0 } }
        let end = (0..<10_000 * Stress.factor).reduce(promise.future) { last, _ in last.map(context: immediate) { $0 } }
        _ = onSmallStack { promise.completeWith(priority: .background) { 1 } }
        #expect(await end.outcome.value == 1)
        for future in many { #expect(await future.outcome.value == 1) }
    }

    @Test func `a source that has ended takes no future's newer source away`() {
        let (newer, derived) = (Promise<Int>(), Promise<Int>())
        derived.future.setUpstream(newer.future)
        derived.future.setUpstream(Future(value: 1))
        #expect(derived.future.upstreams.first === newer.future)
    }

    @Test func `futures that complete each other keep a source that has a task`() {
        let (one, other, gate) = (Future<Int>(), Future<Int>(), Promise<Int>())
        one.completeWith(future: other)
        other.completeWith(future: one)
        let source = Future { try await gate.future.value }
        one.completeWith(future: source)
        #expect(one.upstreams.first === source)
        gate.success(1)
    }

    @Test func `a combined future knows an input once, also if that changes its source`() async {
        let (first, second) = (Promise<Int>(), Promise<Int>())
        let input = Future { try await first.future.value }
            .flatMap(context: immediate) { _ in Future { try await second.future.value } }
        let all = [input, input.map(context: immediate) { $0 }].sequence()
        #expect(all.upstreams.count == 2)
        first.success(1)
        await until { second.future.observerCount == 1 }
        #expect(all.upstreams.count == 2)
        second.success(2)
        #expect(await all.outcome.value == [2, 2])
    }

    @Test func `of more than a thousand elements of a bounded traversal, the pending ones are visited`() async {
        let gate = Promise<Void>()
        let count = Lifeline.mostUpstreams + 10
        let all = (1...count).traverse(maxConcurrent: 2, context: ImmediateContext()) {
            $0 == 1 || $0 == count ? gate.future : Future(value: ())
        }
        #expect(all.upstreams.count == 2)
        gate.success()
        #expect(await all.outcome.value?.count == count)
    }

    @Test func `an input that is combined with itself again and again doesn't hide the others`() async {
        let first = await Producer.futureOfClosure.start(untilRaised)
        let (gate, pending) = (Promise<Void>(), Promise<Void>())
        var combined = Future { try await gate.future.value }.zip(pending.future).asVoid()
        for _ in 0..<20 { combined = combined.zip(combined).asVoid() }
        let all = first.zip(combined).asVoid()
        let waiter = Task(priority: .high) { _ = await all.outcome }
        _ = await Task.detached(priority: .background) { await first.outcome }.value
        gate.success()
        pending.success()
        await waiter.value
    }

    @Test @MainActor func `such an await stays on its actor`() async {
        let (gate, source) = (Future<Void>(), Future<Void>())
        let future = source.asyncMap { _ in await gate.outcome }
        let waiter = Task { @MainActor in
            _ = await future.outcome
            MainActor.assertIsolated()
        }
        // After the waiter in the actor's queue.
        let count = await Task { @MainActor in future.observerCount }.value
        #expect(count == 1)
        gate.success()
        source.success()
        await waiter.value
    }

    @Test func `a long chain of futures that await each other needs constant stack`() async {
        let first = Future<Void>()
        var last = first
        for _ in 0..<5_000 * Stress.factor {
            let source = last
            last = Future(priority: .background) { _ = await source.outcome }
        }
        let end = last
        await until { first.observerCount == 1 }
        let waiter = Task(priority: .high) { _ = await end.outcome }
        await until { end.observerCount > 0 }
        first.success()
        await waiter.value
    }
}

/// Ends when the task has a high priority.
@Sendable private func untilRaised() async {
    while Task.currentPriority < .high { try? await Task.sleep(for: .milliseconds(1)) }
}
