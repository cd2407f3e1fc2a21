import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Producers of streams in a main-actor module", .watchdog)
struct StreamProducerTests {
    @Test(arguments: Origin.allCases)
    func `a promise that a main-actor class holds emits from anywhere, with each of its functions`(
        origin: Origin
    ) async {
        let (store, source) = (Store(), StreamPromise<Int>())
        source.success(3)
        source.finish()
        origin.call { [promise = store.promise] in
            promise.success(0)
            promise.failure(AppError.offline)
            promise.complete(.success(1))
            promise.completeWith(future: Future(value: 2))
            promise.completeWith(stream: source.stream)
            promise.completeWith(future: Try(Future(value: 4)))
            promise.completeWith(stream: Try<FutureStream<Int>>(AppError.unknown))
            promise.finish()
        }
        #expect(await store.promise.stream.texts() == ["0", "offline", "1", "2", "3", "4", "unknown"])
    }

    @Test(arguments: Origin.allCases)
    func `a resolver runs on the main actor, and its block anywhere`(origin: Origin) async {
        let store = Store()
        let made = FutureStream<Int>(capacity: 2) { emit in
            store.requests += 1
            origin.call { for number in 1...3 { emit(.success(number)) } }
        }
        #expect(store.requests == 1)
        #expect(await made.values() == [2, 3])
        let thrown = FutureStream<Int> { _ in
            store.requests += 1
            throw AppError.unknown
        }
        #expect(await thrown.texts() == ["unknown"])
    }

    @Test(arguments: Origin.allCases)
    func `a bare stream, and those that depend on it`(origin: Origin) async {
        let (bare, target) = (FutureStream<Int>(), FutureStream<Int>(value: 0))
        let dependent = FutureStream(capacity: 4, dependent: bare)
        target.completeWith(stream: dependent)
        target.completeWith(future: Future(error: AppError.offline))
        origin.call {
            bare.success(1)
            bare.finish()
        }
        #expect(await dependent.values() == [1])
        await until { target.count == 3 }
        #expect(target.futures.compactMap { $0.result?.value } == [0, 1])
    }

    @Test func `an expression is evaluated on the main actor`() async {
        let store = Store()
        #expect(await futureStream(store.requests).values() == [0])
    }

    @Test(arguments: Place.allCases)
    func `a closure runs on any context`(place: Place) async {
        let context = place.makeContext()
        #expect(await futureStream(context: context) { 6 * 7 }.values(on: context) == [42])
    }

    @Test(arguments: Place.ofMainActor)
    func `and on one of the main actor it may use a model`(place: Place) async {
        let store = Store()
        let count = futureStream(context: place.makeContext()) {
            MainActor.assumeIsolated {
                store.requests += 1
                return store.requests
            }
        }
        #expect(await count.values() == [1])
    }

    @Test(arguments: Origin.allCases)
    func `a producer that is dropped finishes its stream wherever that happens`(origin: Origin) async {
        let stream: FutureStream<Int>
        do {
            let promise = StreamPromise<Int>()
            stream = promise.stream
            origin.call { promise.success(1) }
        }
        #expect(await stream.values() == [1])
    }
}

private final class Store {
    let promise = StreamPromise<Int>()
    var requests = 0
}
