import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("asyncMap, asyncFlatMap, asyncRecover, asyncForEach of futures", .watchdog)
struct AsyncCombinatorTests {
    @Test(arguments: [false, true])
    func `the closure gets the value, and failures skip it`(_ isCompletedBefore: Bool) async {
        for fails in [false, true] {
            let source = Future<Int>()
            let end: () -> Void = { fails ? source.failure(Failure()) : source.success(2) }
            if isCompletedBefore { end() }
            let mapped = source.asyncMap {
                await Task.yield(); return "\($0)"
            }
            let flatMapped = source.asyncFlatMap { number in Future { number + 1 } }
            let visited = Lock(0)
            let visit = source.asyncForEach { value in visited.exchange(value) }
            if !isCompletedBefore { end() }
            if fails {
                #expect(await mapped.outcome.error is Failure)
                #expect(await flatMapped.outcome.error is Failure)
                #expect(await visit.outcome.error is Failure)
            } else {
                #expect(await mapped.outcome.value == "2")
                #expect(await flatMapped.outcome.value == 3)
                #expect(await visit.outcome.isSuccess())
                #expect(visited.withLock { $0 } == 2)
            }
        }
    }

    @Test func `asyncRecover gets the error, and values skip it`() async {
        #expect(
            await Future(value: 1).asyncRecover { _ in
                await Task.yield(); return 2
            }.outcome.value == 1)
        let recovered = Future<Int>(error: Failure()).asyncRecover {
            await Task.yield(); return $0 is Failure ? 2 : 3
        }
        #expect(await recovered.outcome.value == 2)
        let failed = Future<Int>(error: FuturesError.timedOut).asyncRecover { _ in throw Failure() }
        #expect(await failed.outcome.error is Failure)
    }

    @Test func `an error that the closure throws fails the future`() async {
        let source = Future(value: 1)
        #expect(await source.asyncMap { _ -> Int in throw Failure() }.outcome.error is Failure)
        #expect(await source.asyncFlatMap { _ -> Future<Int> in throw Failure() }.outcome.error is Failure)
        #expect(await source.asyncFlatMap { _ in Future<Int>(error: Failure()) }.outcome.error is Failure)
        #expect(await source.asyncForEach { _ in throw Failure() }.outcome.error is Failure)
    }

    @Test func `a canceled or broken source ends them, and no closure runs`() async {
        let token = CancelToken()
        let promise = Promise<Int>()
        let cancelled = promise.future.map(context: immediate, cancelToken: token) { $0 }
        let mapped = cancelled.asyncMap { _ in Issue.record("runs") }
        let recovered = cancelled.asyncRecover { _ in
            Issue.record("runs"); return 0
        }
        token.cancel()
        #expect(mapped.isCancelled && recovered.isCancelled)
        var lost: Promise<Int>? = Promise()
        let broken = lost!.future.asyncMap { _ in Issue.record("runs") }
        let mended = lost!.future.asyncRecover { _ in 5 }
        lost = nil
        #expect(await Answer { try await broken.map { _ in 1 }.value } == .broken)
        #expect(await mended.outcome.value == 5)
    }

    @Test @MainActor func `the closure has the caller's actor and task-local values, and the given name and priority`()
        async
    {
        let source = Future<Int>()
        let seen = Locals.$id.withValue(5) {
            source.asyncMap(name: "mapper", priority: .low) { _ in
                MainActor.assertIsolated()
                return (Task.name, Task.basePriority, Locals.id)
            }
        }
        Locals.$id.withValue(6) { source.success(1) }
        let (name, priority, id) = await seen.outcome.value ?? (nil, nil, 0)
        #expect(name == "mapper")
        #expect(priority == .low)
        #expect(id == 5)
    }

    @Test func `source.cancel(token) unsubscribes a closure while the source is pending`() async {
        let token = CancelToken()
        let source = Future<Int>()
        let mapped = source.asyncMap(cancelToken: token) { _ in Issue.record("runs") }
        #expect(source.cancel(token))
        #expect(mapped.isCancelled)
        source.success(1)
        #expect(token.registrationCount == 0 && source.observerCount == 0)
    }

    @Test func `long chains end, are canceled and are released`() async {
        for ending in Ending.allCases {
            let source = Source()
            var last = source.future
            for _ in 0..<2_000 * Stress.factor { last = last.asyncMap { $0 } }
            source.end(ending)
            #expect(await Answer { try await last.value } == ending.answer)
        }
        var promise: Promise<Int>? = Promise()
        var last: Future<Int>? = promise?.future
        for _ in 0..<2_000 * Stress.factor { last = last?.asyncMap { $0 } }
        weak var end: Future<Int>?
        end = last
        last = nil
        promise = nil
        await until { end == nil }
    }

    @Test func `other types that conform to Futurable have them too`() async {
        let box = FutureBox(Future(value: 3))
        #expect(
            await box.asyncMap {
                await Task.yield(); return $0 * 2
            }.outcome.value == 6)
    }
}

@Suite("asyncMap, asyncFlatMap, asyncRecover, asyncForEach of streams", .watchdog)
struct AsyncStreamCombinatorTests {
    @Test func `elements keep their order, one at a time, and failures keep their position`() async {
        let promise = StreamPromise<Int>(capacity: 10)
        promise.success(1)
        promise.failure(Failure())
        let running = Tally()
        let mapped = promise.stream.asyncMap { number in
            running.add()
            #expect(running.count == 1)
            for _ in 0..<number { await Task.yield() }
            running.add(-1)
            if number == 3 { throw FuturesError.invalidValue }
            return number * 10
        }
        for number in [5, 3, 2] { promise.success(number) }
        promise.finish()
        #expect(await words(mapped) == ["10", "Failure()", "50", "invalid", "20", "finished"])
        #expect(mapped.capacity == 10)
    }

    @Test func `asyncFlatMap joins futures and streams`() async {
        let numbers = FutureStream<Int>()
        for number in 1...3 { numbers.success(number) }
        numbers.finish()
        let futures = numbers.asyncFlatMap { number in Future { number * 2 } }
        #expect(await words(futures).sorted() == ["2", "4", "6", "finished"])
        let streams = numbers.asyncFlatMap { number in
            let inner = FutureStream<Int>()
            for _ in 0..<number { inner.success(number) }
            inner.finish()
            return inner
        }
        #expect(await words(streams).sorted() == ["1", "2", "2", "3", "3", "3", "finished"])
    }

    @Test func `asyncRecover replaces failures with values`() async {
        let numbers = FutureStream<Int>()
        numbers.success(1)
        numbers.failure(Failure())
        numbers.failure(FuturesError.timedOut)
        numbers.success(2)
        numbers.finish()
        let recovered = numbers.asyncRecover { error in
            await Task.yield()
            guard error is Failure else { throw error }
            return 7
        }
        #expect(await words(recovered) == ["1", "7", "timedOut", "2", "finished"])
    }

    @Test func `asyncForEach ends when its last call has returned`() async {
        let numbers = FutureStream<Int>()
        let seen = Box<[Int]>([])
        let end = numbers.asyncForEach { number in
            await Task.yield()
            seen.append(number)
        }
        numbers.success(1)
        numbers.failure(Failure())
        numbers.success(2)
        #expect(!end.completed)
        numbers.finish()
        #expect(await end.outcome.isSuccess())
        #expect(seen.value == [1, 2])
    }

    @Test func `elements emitted before a stream is canceled are delivered`() async {
        let promise = StreamPromise<Int>(capacity: 0)
        let token = CancelToken()
        let source = promise.stream.map(context: immediate, cancelToken: token) { $0 }
        let gate = Future<Int>()
        let mapped = source.asyncMap { number in
            _ = await gate.outcome
            return number
        }
        let log = Task { await words(mapped) }
        await until { mapped.core.subscriberCount == 1 }
        for number in 1...3 { promise.success(number) }
        await until { gate.observerCount == 1 }
        token.cancel()
        #expect(!mapped.isCancelled)
        gate.success(1)
        #expect(await log.value == ["1", "2", "3", "CancellationError()", "cancelled"])
    }

    @Test @MainActor func `the closure has the caller's actor and task-local values`() async {
        let numbers = FutureStream<Int>()
        numbers.success(1)
        numbers.finish()
        let mapped = Locals.$id.withValue(9) {
            numbers.asyncMap { number in
                MainActor.assertIsolated()
                return number + Locals.id
            }
        }
        #expect(await words(mapped) == ["10", "finished"])
    }

    @Test func `a stream whose handle is dropped keeps working and ends with its source`() async {
        let seen = Box<[Int]>([])
        var promise: StreamPromise<Int>? = StreamPromise(capacity: 0)
        do {
            let mapped = promise!.stream.asyncMap {
                await Task.yield(); return $0
            }
            mapped.onSuccess(context: immediate) { number in seen.append(number) }
        }
        promise?.success(1)
        promise?.success(2)
        weak var core: StreamCore?
        core = promise?.stream.core
        promise = nil
        await until { seen.value == [1, 2] }
        await until { core == nil }
    }
}

/// The elements and the end of a stream as text.
private func words<T: Sendable>(_ stream: FutureStream<T>) async -> [String] {
    var words: [String] = []
    for await result in stream.results {
        switch result {
        case .success(let value): words.append("\(value)")
        case .failure(FuturesError.invalidValue): words.append("invalid")
        case .failure(FuturesError.timedOut): words.append("timedOut")
        case .failure(let error): words.append("\(error)")
        }
    }
    words.append(stream.isCancelled ? "cancelled" : "finished")
    return words
}

private final class FutureBox: Futurable {
    private let future: Future<Int>

    init() { future = Future() }
    init(_ future: Future<Int>) { self.future = future }
    init(value: Int) { future = Future(value: value) }
    init(error: any Error) { future = Future(error: error) }

    var result: Try<Int>? { future.result }
    func complete(_ result: Try<Int>) { future.complete(result) }
    func onComplete(
        context: any ExecutionContext, cancelToken: CancelToken, completion: @escaping @Sendable (Try<Int>) -> Void
    ) { future.onComplete(context: context, cancelToken: cancelToken, completion: completion) }
    func asFuture(cancelToken: CancelToken) -> Future<Int> { future }
}
