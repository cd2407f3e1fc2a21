import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Producers of a main-actor module", .watchdog)
struct ProducerTests {
    @Test(arguments: Origin.allCases)
    func `a promise that a main-actor class holds is kept from anywhere`(origin: Origin) async throws {
        let store = Store()
        origin.call { store.promise.success(1) }
        #expect(try await store.promise.future.value == 1)
        #expect(store.promise.completed)
    }

    @Test(arguments: Origin.allCases)
    func `with each of its functions, of which the first wins`(origin: Origin) async throws {
        let promises = (0..<6).map { _ in Promise<Int>() }
        origin.call {
            promises[0].complete(.success(0))
            promises[1].failure(AppError.offline)
            promises[2].trySuccess(2)
            promises[3].tryFailure(AppError.offline)
            promises[4].completeWith(future: promises[0].future)
            promises[5].completeWith(future: Try(promises[2].future))
            promises[0].tryComplete(.failure(AppError.unknown))
        }
        let results = try await promises.map { $0.future }.settled().value
        #expect(results.map { $0.value } == [0, nil, 2, nil, 0, 2])
    }

    @Test(arguments: Origin.allCases)
    func `a resolver runs on the main actor, and its block anywhere`(origin: Origin) async throws {
        let store = Store()
        let made = Future<Int> { complete in
            store.requests += 1
            origin.call { complete(.success(1)) }
        }
        #expect(store.requests == 1)
        #expect(try await made.value == 1)
        let thrown = Future<Int> { _ in
            store.requests += 1
            throw AppError.unknown
        }
        #expect(thrown.result?.error as? AppError == .unknown)
    }

    @Test(arguments: Origin.allCases)
    func `a bare future, and one that depends on it`(origin: Origin) async throws {
        let (bare, target) = (Future<Int>(), Future<Int>())
        let dependent = Future(dependent: bare)
        target.completeWith(future: dependent)
        origin.call { bare.success(1) }
        #expect(try await target.value == 1)
    }

    @Test func `an expression is evaluated on the main actor`() {
        let store = Store()
        #expect(future(store.requests).result?.value == 0)
    }

    @Test(arguments: Place.allCases)
    func `a closure runs on any context`(place: Place) async throws {
        let context = place.makeContext()
        #expect(try await future(context: context) { 6 * 7 }.end(on: context).get() == 42)
    }

    @Test(arguments: Place.ofMainActor)
    func `and on one of the main actor it may use a model`(place: Place) async throws {
        let store = Store()
        let count = future(context: place.makeContext()) {
            MainActor.assumeIsolated {
                store.requests += 1
                return store.requests
            }
        }
        #expect(try await count.value == 1)
    }

    @Test(arguments: Origin.allCases)
    func `a producer that is dropped breaks its future wherever that happens`(origin: Origin) async {
        let future: Future<Int>
        do {
            let promise = Promise<Int>()
            future = promise.future
            origin.call { _ = promise }
        }
        guard case .brokenPromise? = await future.outcome.error as? FuturesError else {
            Issue.record("the promise is gone")
            return
        }
    }
}

private final class Store {
    let promise = Promise<Int>()
    var requests = 0
}
