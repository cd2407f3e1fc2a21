import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("asyncMap, asyncFlatMap, asyncRecover, asyncForEach of streams", .watchdog)
struct AsyncStreamCombinatorTests {
    @Test func `elements keep their order, one at a time, failures in their place`() async {
        let promise = StreamPromise<Int>(capacity: 10)
        promise.success(1)
        promise.failure(Failure())
        let running = Lock(0)
        let mapped = promise.stream.asyncMap { number in
            #expect(
                running.withLock {
                    $0 += 1; return $0
                } == 1)
            for _ in 0..<number { await Task.yield() }
            running.withLock { $0 -= 1 }
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

    @Test func `asyncRecover puts values in the place of failures`() async {
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

    @Test func `asyncForEach tells when the last call has returned`() async {
        let numbers = FutureStream<Int>()
        let seen = Lock<[Int]>([])
        let end = numbers.asyncForEach { number in
            await Task.yield()
            seen.withLock { $0.append(number) }
        }
        numbers.success(1)
        numbers.failure(Failure())
        numbers.success(2)
        #expect(!end.completed)
        numbers.finish()
        #expect(await end.outcome.isSuccess())
        #expect(seen.withLock { $0 } == [1, 2])
    }

    @Test(arguments: [false, true], [false, true])
    func `a token detaches at once, whether the source has finished or not`(_ isFinished: Bool, _ byStream: Bool) async
    {
        // Once the source has finished there is nothing on it to be detached.
        if isFinished, byStream { return }
        let numbers = FutureStream<Int>()
        let token = CancelToken()
        let gate = Future<Int>()
        let runs = Lock(0)
        let errors = Lock<[any Error]>([])
        let cancelled = Future<Bool>()
        let mapped = numbers.asyncMap(cancelToken: token) { number in
            runs.withLock { $0 += 1 }
            _ = await gate.outcome
            cancelled.trySuccess(Task.isCancelled)
            return number
        }
        mapped.onFailure(context: ImmediateContext()) { error in errors.withLock { $0.append(error) } }
        for number in 1...3 { numbers.success(number) }
        if isFinished { numbers.finish() }
        await until { gate.observerCount == 1 }
        if byStream { #expect(numbers.cancel(token)) } else { token.cancel() }
        #expect(mapped.isCancelled)
        gate.success(1)
        #expect(await cancelled.outcome.value == true)
        await until { token.registrationCount == 0 }
        for _ in 0..<100 { await Task.yield() }
        #expect(runs.withLock { $0 } == 1)
        #expect(errors.withLock { $0.count } == 0)
        #expect(mapped.count == 0)
    }

    @Test func `a detached asyncRecover and asyncForEach do not see the cancellation as an element`() async {
        for _ in 0..<Stress.rounds(200) {
            let numbers = FutureStream<Int>()
            let token = CancelToken()
            let recovered = numbers.asyncRecover(cancelToken: token) { error in
                Issue.record("\(error)")
                return 0
            }
            let failures = Lock(0)
            let mapped = numbers.asyncMap(cancelToken: token) { $0 }
            mapped.onFailure(context: ImmediateContext()) { _ in failures.withLock { $0 += 1 } }
            let end = numbers.asyncForEach(cancelToken: token) { _ in }
            token.cancel()
            #expect(recovered.isCancelled && mapped.isCancelled && end.isCancelled)
            if failures.withLock({ $0 }) > 0 { Issue.record("an element that nobody has emitted") }
        }
    }

    @Test func `of a stream that is cancelled, what was emitted before is delivered`() async {
        let promise = StreamPromise<Int>(capacity: 0)
        let token = CancelToken()
        let source = promise.stream.map(context: ImmediateContext(), cancelToken: token) { $0 }
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

    @Test @MainActor func `the closure belongs to the caller's actor and has his task-local values`() async {
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

    @Test func `a stream whose handle is dropped works on; it ends with its source`() async {
        let seen = Lock<[Int]>([])
        var promise: StreamPromise<Int>? = StreamPromise(capacity: 0)
        do {
            let mapped = promise!.stream.asyncMap {
                await Task.yield(); return $0
            }
            mapped.onSuccess(context: ImmediateContext()) { number in seen.withLock { $0.append(number) } }
        }
        promise?.success(1)
        promise?.success(2)
        weak var core: StreamCore?
        core = promise?.stream.core
        promise = nil
        await until { seen.withLock { $0 } == [1, 2] }
        await until { core == nil }
    }
}

/// The elements and the end of a stream, in words.
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
