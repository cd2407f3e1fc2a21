import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Closures labeled `isolated:` run on the caller's actor", .watchdog)
struct CallersActorTests {
    @Test func `also closures that use nothing of the actor`() async {
        let (places, guest) = (Log<String>(), Guest())
        let (value, failure, token) = (Future<Int>(), Future<Int>(), CancelToken())
        let (stream, finished) = (FutureStream<Int>(capacity: 0), FutureStream<Int>(capacity: 0))
        let typed = failure.typed(as: Oops.self)
        let cancelled = value.map(context: immediate, cancelToken: token) { $0 }
        let cancelledStream = stream.map(context: immediate, cancelToken: token) { $0 }
        await guest.observe(value, failure, cancelled, places)
        await guest.observe(stream, finished, cancelledStream, places)
        await guest.observe(typed, places)
        await guest.observe(token, places)
        token.cancel()
        value.success(1)
        failure.failure(Oops.thrown)
        stream.success(1)
        stream.failure(Oops.thrown)
        finished.finish()
        await until { places.count == Guest.closures }
        #expect(places.all == Array(repeating: "actor", count: Guest.closures))
    }

    @Test @MainActor func `attempts begin on the caller's actor, and may throw`() async throws {
        let model = Model()
        let second = Future.retry(
            3, delay: .milliseconds(1), while: { $0 as? Oops == .thrown },
            isolated: {
                guard model.counted(0) == 0, model.calls > 1 else { throw Oops.thrown }
                return Future(value: model.calls)
            })
        // The first one, too, begins when the caller's code returns.
        #expect(model.calls == 0)
        #expect(try await second.value == 2)
        let failed = Future<Int>.retry(
            2, backoff: .constant(.zero), isolated: { model.counted(Future(error: Oops.other)) })
        await #expect(throws: Oops.other) { try await failed.value }
        #expect(model.calls == 4)
    }

    @Test @MainActor func `values are combined on the caller's actor`() async throws {
        let (model, stream) = (Model(), FutureStream(value: 1))
        let sum = stream.reduce(10, isolated: { $0 + model.counted($1) })
        let all = stream.reduce(into: [], isolated: { $0.append(model.counted($1)) })
        stream.success(2)
        stream.finish()
        #expect(try await sum.value == 13)
        #expect(try await all.value == [1, 2])
        #expect(model.calls == 4)
    }

    @Test @MainActor func `closures of futures can use the actor's state and throw`() async throws {
        let (model, promise, open, token) = (Model(), Promise<Int>(), Promise<Int>(), CancelToken())
        let thrown: Future<Int> = promise.future.map(isolated: { _ in
            model.calls += 1
            throw Oops.thrown
        })
        let refused = promise.future.filter(isolated: { model.counted($0) == 2 })
        let futures = [
            promise.future.map(isolated: { model.counted($0) }),
            promise.future.flatMap(isolated: { Future(value: model.counted($0)) }),
            promise.future.filter(isolated: { model.counted($0) == 1 }),
            promise.future.compactMap(isolated: { model.counted($0) as Int? }),
            promise.future.andThen(isolated: { model.calls += $0 }),
            thrown.recover(isolated: { model.counted($0 as? Oops == .thrown ? 1 : 0) }),
            refused.recoverWith(isolated: { model.counted(Future(value: $0 as? FuturesError == nil ? 0 : 1)) }),
        ]
        let renamed = thrown.mapError(isolated: { _ in
            model.calls += 1
            return Oops.other
        })
        let never = open.future.map(context: immediate, cancelToken: token) { $0 }.ensure(isolated: { model.calls += 1 }
        )
        promise.success(1)
        token.cancel()
        #expect(try await futures.sequence().value == Array(repeating: 1, count: 7))
        await #expect(throws: FuturesError.noSuchElement) { try await refused.value }
        await #expect(throws: Oops.other) { try await renamed.value }
        await #expect(throws: CancellationError.self) { try await never.value }
        open.success(1)
        #expect(model.calls == 11)
    }

    @Test @MainActor func `a traversal with a limit calls its closure there, in order, until it throws`() async throws {
        let model = Model()
        var pending: [Promise<Int>] = []
        let all = [1, 2, 3, 4].traverse(
            maxConcurrent: 2,
            isolated: { number in
                #expect(number == pending.count + 1)
                pending.append(Promise())
                return pending[number - 1].future
            })
        #expect(pending.isEmpty)
        for (index, count) in [(1, 2), (0, 3), (2, 4), (3, 4)] {
            await until { pending.count == count }
            pending[index].success(index)
        }
        #expect(try await all.value == [0, 1, 2, 3])
        let failed = (0..<9).traverse(
            maxConcurrent: 1,
            isolated: { number in
                guard model.counted(number) < 2 else { throw Oops.thrown }
                return Future(value: number)
            })
        await #expect(throws: Oops.thrown) { try await failed.value }
        #expect(model.calls == 3)
        let token = CancelToken()
        let canceled = [1, 2].traverse(
            maxConcurrent: 1, cancelToken: token,
            isolated: { _ in
                token.cancel()
                return Future(value: model.counted(0))
            })
        await #expect(throws: CancellationError.self) { try await canceled.value }
        #expect(model.calls == 4)
    }

    @Test @MainActor func `so can closures of streams`() async throws {
        let (model, stream) = (Model(), StreamPromise<Int>(capacity: 0))
        let elements = stream.stream
            .map(isolated: { model.counted($0) })
            .flatMap(isolated: { Future(value: model.counted($0)) })
            .filter(isolated: { model.counted($0) != 2 })
            .compactMap(isolated: { $0 == 4 ? nil : model.counted($0) })
            .scan(
                0,
                isolated: { sum, value in
                    if value == 5 { throw Oops.thrown }
                    return model.counted(sum + value)
                }
            )
            .recover(isolated: { _ in model.counted(100) })
            .andThen(isolated: { _ in model.calls += 1 })
            .subscription()
        for value in 1...6 { stream.success(value) }
        stream.finish()
        // 6 are converted, flattened and chosen each; then 4 conversions, 3 sums, one replacement, 4 at the end.
        #expect(try await everything(in: elements) == [1, 4, 100, 10] && model.calls == 18 + 12)
    }

    @Test func `an asynchronous step starts no task after a future that has failed`() async {
        let guest = Guest()
        #expect(await guest.jobs(after: Future(value: 1)) == 1)
        #expect(await guest.jobs(after: Future(error: Oops.source)) == 0)
    }

    @Test @MainActor func `flatMapLatest on the caller's actor leaves the former inner stream`() async throws {
        let (model, values) = (Model(), StreamPromise<Int>(capacity: 0))
        let inner = [StreamPromise<String>(capacity: 0), StreamPromise<String>(capacity: 0)]
        let latest = values.stream.flatMapLatest(isolated: { index -> FutureStream<String> in
            guard index < 2 else { throw Oops.thrown }
            return inner[model.counted(index)].stream
        })
        let elements = latest.subscription()
        for (index, letter) in ["a", "b"].enumerated() {
            values.success(index)
            await until { model.calls == index + 1 }
            for promise in inner { promise.success(letter) }
        }
        values.success(2)
        var all: [String] = []
        await #expect(throws: Oops.thrown) { for try await element in elements { all.append(element) } }
        #expect(all == ["a", "b"])
    }
}

/// An actor whose code can tell that it runs there, without using the actor.
private actor Guest {
    /// The number of closures that the functions `observe` register, and that run.
    static let closures = 43
    private static let key = DispatchSpecificKey<Bool>()

    private let executor = Executor()

    init() { executor.queue.setSpecific(key: Self.key, value: true) }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    static var place: String { DispatchQueue.getSpecific(key: key) == true ? "actor" : "elsewhere" }

    /// The number of jobs that a step after a future puts on this actor.
    func jobs(after source: Future<Int>) -> Int {
        let count = executor.jobs.value
        _ = source.asyncMap { self.next($0) }
        return executor.jobs.value - count
    }

    private func next(_ number: Int) -> Int { number + 1 }

    func observe(_ value: Future<Int>, _ failure: Future<Int>, _ cancelled: Future<Int>, _ places: Log<String>) {
        value.onSuccess(isolated: { _ in places.note() })
        value.onComplete(isolated: { _ in places.note() })
        failure.onFailure(isolated: { _ in places.note() })
        cancelled.onCancel(isolated: { places.note() })
        cancelled.typed(as: Oops.self).onCancel(isolated: { places.note() })
        _ = value.map(isolated: { _ in places.note() })
        _ = value.flatMap(isolated: { places.note(Future(value: $0)) })
        _ = failure.recover(isolated: { _ in places.note(0) })
        _ = failure.recoverWith(isolated: { _ in places.note(Future(value: 0)) })
        _ = failure.mapError(isolated: { places.note($0) })
        _ = Future.retry(1, isolated: { places.note(Future(value: 0)) })
        _ = Future.retry(2, backoff: .constant(.zero), isolated: { places.note(Future(value: 0)) })
        _ = [value].find(isolated: { _ in places.note(true) })
        _ = [1].traverse(maxConcurrent: 1, isolated: { places.note(Future(value: $0)) })
        _ = value.filter(isolated: { _ in places.note(true) })
        _ = value.compactMap(isolated: { places.note($0 as Int?) })
        _ = value.andThen(isolated: { _ in places.note() })
        cancelled.ensure(isolated: { places.note() })
    }

    func observe(
        _ stream: FutureStream<Int>, _ finished: FutureStream<Int>, _ cancelled: FutureStream<Int>,
        _ places: Log<String>
    ) {
        stream.onSuccess(isolated: { _ in places.note() })
        stream.onFailure(isolated: { _ in places.note() })
        stream.first().onSuccess(isolated: { _ in places.note() })
        finished.onFinish(isolated: { places.note() })
        cancelled.onCancel(isolated: { places.note() })
        _ = stream.map(isolated: { _ in places.note() })
        _ = stream.flatMap(isolated: { places.note(Future(value: $0)) })
        _ = stream.flatMapLatest(isolated: { places.note(Future(value: $0)) })
        _ = stream.flatMapLatest(isolated: { value, _ in places.note(Future(value: value)) })
        _ = stream.filter(isolated: { _ in places.note(true) })
        _ = stream.compactMap(isolated: { places.note($0 as Int?) })
        _ = stream.scan((), isolated: { _, _ in places.note() })
        _ = stream.recover(context: immediate) { _ in 2 }.distinct(isolated: { _, _ in places.note(true) })
        stream.reduce((), isolated: { _, _ in places.note() }).onSuccess(context: immediate) {}
        stream.reduce(into: (), isolated: { _, _ in places.note() }).onSuccess(context: immediate) {}
        _ = stream.andThen(isolated: { _ in places.note() })
        _ = stream.recover(isolated: { _ in places.note(0) })
        _ = stream.recoverWith(isolated: { _ in places.note(Future(value: 0)) })
        _ = stream.mapError(isolated: { places.note($0) })
        let source = FutureStream<Int>(
            capacity: 1,
            isolated: { _ in
                places.note()
                return CancelAction(isolated: { places.note() })
            })
        source.onSuccess(isolated: { _ in })
    }

    func observe(_ typed: TypedFuture<Int, Oops>, _ places: Log<String>) {
        typed.onResult(isolated: { _ in places.note() })
        typed.onFailure(isolated: { _ in places.note() })
    }

    func observe(_ token: CancelToken, _ places: Log<String>) {
        token.onCancel(isolated: { places.note() })
        token.onCancel(isolated: { places.add("elsewhere") }).cancel()
        let cancelled = CancelToken()
        cancelled.cancel()
        cancelled.onCancel(isolated: {
            self.preconditionIsolated()
            places.note()
        })
    }
}

extension Log<String> {
    fileprivate func note() { add(Guest.place) }

    fileprivate func note<Value>(_ value: Value) -> Value {
        note()
        return value
    }
}

@MainActor private final class Model {
    var calls = 0

    func counted<Value>(_ value: Value) -> Value {
        calls += 1
        return value
    }
}

private final class Executor: SerialExecutor {
    let queue = DispatchQueue(label: "guest")
    let jobs = Box(0)

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.increment()
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
