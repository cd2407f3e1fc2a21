import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Producers of a main-actor module", .watchdog)
struct ProducerTests {
    private let store = Store()

    @Test(arguments: Origin.allCases)
    func `each function of a promise can be called from anywhere`(origin: Origin) async throws {
        let promises = (0..<6).map { _ in Promise<Int>() }
        origin.call { [promise = store.promise] in
            promise.success(7)
            promises[0].complete(.success(0))
            promises[1].failure(AppError.offline)
            promises[2].trySuccess(2)
            promises[3].tryFailure(AppError.offline)
            promises[4].completeWith(future: promises[0].future)
            promises[5].completeWith(future: Try(promises[2].future))
            promises[0].tryComplete(.failure(AppError.unknown))
        }
        #expect(try await store.promise.future.value == 7)
        let results = try await promises.map { $0.future }.settled().value
        #expect(results.map { $0.value } == [0, nil, 2, nil, 0, 2])
    }

    @Test(arguments: Origin.allCases)
    func `each function of a stream promise can be called from anywhere`(origin: Origin) async {
        let source = StreamPromise<Int>()
        source.success(3)
        source.finish()
        origin.call { [promise = store.numbers] in
            promise.success(0)
            promise.failure(AppError.offline)
            promise.complete(.success(1))
            promise.completeWith(future: Future(value: 2))
            promise.completeWith(stream: source.stream)
            promise.completeWith(future: Try(Future(value: 4)))
            promise.completeWith(stream: Try<FutureStream<Int>>(AppError.unknown))
            promise.finish()
        }
        #expect(await store.numbers.stream.texts() == ["0", "offline", "1", "2", "3", "4", "unknown"])
    }

    @Test(arguments: Origin.allCases)
    func `a resolver runs on the main actor, and its completion closure runs anywhere`(origin: Origin) async throws {
        let store = store
        let made = Future<Int> { complete in
            store.requests += 1
            origin.call { complete(.success(1)) }
        }
        let stream = FutureStream<Int>(capacity: 2) { emit in
            store.requests += 1
            origin.call { for number in 1...3 { emit(.success(number)) } }
        }
        #expect(store.requests == 2)
        #expect(try await made.value == 1)
        #expect(await stream.values() == [2, 3])
        let thrown = Future<Int> { _ in
            store.requests += 1
            throw AppError.unknown
        }
        let refused = FutureStream<Int> { _ in
            store.requests += 1
            throw AppError.unknown
        }
        #expect(thrown.result?.error as? AppError == .unknown)
        #expect(await refused.texts() == ["unknown"])
        #expect(store.requests == 4)
    }

    @Test func `bare futures and streams, and derived ones`() async throws {
        let (bare, target, numbers) = (Future<Int>(), Future<Int>(), FutureStream<Int>())
        let (dependent, following) = (Future(dependent: bare), FutureStream(capacity: 4, dependent: numbers))
        let all = FutureStream<Int>(value: 0)
        target.completeWith(future: dependent)
        all.completeWith(stream: following)
        all.completeWith(future: Future(error: AppError.offline))
        Origin.backgroundQueue.call {
            bare.success(1)
            numbers.success(1)
            numbers.finish()
        }
        #expect(try await target.value == 1)
        #expect(await following.values() == [1])
        await until { all.count == 3 }
        #expect(all.futures.compactMap { $0.result?.value } == [0, 1])
    }

    @Test(arguments: ContextKind.allCases)
    func `expressions are evaluated on the main actor, and closures on any context`(kind: ContextKind) async throws {
        let context = kind.makeContext()
        #expect(future(store.requests).result?.value == 0)
        #expect(await futureStream(store.requests).values() == [0])
        #expect(try await future(context: context) { 6 * 7 }.end(on: context).get() == 42)
        #expect(await futureStream(context: context) { 6 * 7 }.values(on: context) == [42])
    }

    @Test(arguments: ContextKind.ofMainActor)
    func `on a context of the main actor a closure can use a model`(kind: ContextKind) async throws {
        let (context, store) = (kind.makeContext(), store)
        let count = future(context: context) { MainActor.assumeIsolated { store.count() } }
        let counts = futureStream(context: context) { MainActor.assumeIsolated { store.count() } }
        #expect(try await count.value + counts.values()[0] == 3)
    }

    @Test(arguments: Origin.allCases)
    func `producers can be released anywhere`(origin: Origin) async {
        let (future, stream): (Future<Int>, FutureStream<Int>)
        do {
            let (promise, numbers) = (Promise<Int>(), StreamPromise<Int>())
            (future, stream) = (promise.future, numbers.stream)
            origin.call {
                _ = promise
                numbers.success(1)
            }
        }
        guard case .brokenPromise? = await future.outcome.error as? FuturesError else {
            Issue.record("the promise is gone")
            return
        }
        #expect(await stream.values() == [1])
    }

    @Test(arguments: [Queue.global, Queue("app.state")])
    func `a closure that a queue runs synchronously can use the main actor's state`(queue: Queue) {
        queue.sync { store.requests += 1 }
        #expect(queue.sync { store.requests } == 1)
        let made = queue.sync { Future<Int> { complete in complete(.success(store.requests)) } }
        #expect(made.result?.value == 1)
    }

    @Test func `closures on the main queue and on contexts that use it are on the main actor`() async {
        let model = Model()
        Queue.main.async { MainActor.assumeIsolated { model.note("async") } }
        Queue.main.delay(0.001) { MainActor.assumeIsolated { model.note("delay") } }
        for kind in ContextKind.ofMainActor {
            kind.makeContext().execute { MainActor.assumeIsolated { model.note("context") } }
        }
        await until { model.log.count == 2 + ContextKind.ofMainActor.count }
    }
}

private final class Store {
    let promise = Promise<Int>()
    let numbers = StreamPromise<Int>()
    var requests = 0

    func count() -> Int {
        requests += 1
        return requests
    }
}
