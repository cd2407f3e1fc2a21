import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Producers of a main-actor module", .watchdog)
struct ProducerTests {
    private let store = Store()

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
        let thrown = Future<Int> { _ in
            store.requests += 1
            throw AppError.unknown
        }
        let refused = FutureStream<Int> { _ in
            store.requests += 1
            throw AppError.unknown
        }
        #expect(store.requests == 4)
        #expect(try await made.value == 1)
        #expect(await stream.values() == [2, 3])
        #expect(thrown.result?.error as? AppError == .unknown)
        #expect(await refused.texts() == ["unknown"])
    }

    @Test(arguments: ContextKind.allCases)
    func `expressions are evaluated on the main actor, and closures on any context`(kind: ContextKind) async throws {
        let (context, store) = (kind.makeContext(), store)
        #expect(future(store.requests).result?.value == 0)
        #expect(await futureStream(store.requests).values() == [0])
        #expect(try await future(context: context) { 6 * 7 }.value == 42)
        #expect(await futureStream(context: context) { 6 * 7 }.values() == [42])
        guard ContextKind.ofMainActor.contains(kind) else { return }
        let count = future(context: context) { MainActor.assumeIsolated { store.count() } }
        let counts = futureStream(context: context) { MainActor.assumeIsolated { store.count() } }
        #expect(try await count.value + counts.values()[0] == 3)
        let executed = Promise<Int>()
        context.execute { MainActor.assumeIsolated { executed.success(store.count()) } }
        #expect(try await executed.future.value == 3)
    }

    @Test(arguments: [Queue.global, Queue("app.state")])
    func `a closure that a queue runs synchronously can use the main actor's state`(queue: Queue) {
        queue.sync { store.requests += 1 }
        #expect(queue.sync { store.requests } == 1)
        let made = queue.sync { Future<Int> { complete in complete(.success(store.requests)) } }
        #expect(made.result?.value == 1)
    }

    @Test func `closures on the main queue are on the main actor`() async {
        let model = Model()
        Queue.main.async { MainActor.assumeIsolated { model.note("async") } }
        Queue.main.delay(0.001) { MainActor.assumeIsolated { model.note("delay") } }
        await until { model.log.count == 2 }
        #expect(model.log == ["async", "delay"])
    }
}

private final class Store {
    var requests = 0

    func count() -> Int {
        requests += 1
        return requests
    }
}
