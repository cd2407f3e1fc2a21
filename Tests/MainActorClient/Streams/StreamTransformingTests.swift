import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Chains of streams in a main-actor module, on every context, from everywhere", .watchdog)
struct StreamTransformingTests {
    private let promise = StreamPromise<Profile>()

    private func send(from origin: Origin) { origin.call { [promise] in promise.sendAll() } }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `map and compactMap`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let names = promise.stream.map(context: context) { $0.name }
        let even = promise.stream.compactMap(context: context) { $0.id.isMultiple(of: 2) ? $0.id : nil }
        send(from: origin)
        #expect(await names.texts(on: context) == ["Ada", "offline", "Bob"])
        #expect(await even.texts(on: context) == ["offline", "2"])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `flatMap to streams and to futures`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let letters = promise.stream.flatMap(context: context) { profile in
            FutureStream(capacity: 8) { emit in for letter in profile.name { emit(.success(letter)) } }
        }
        let ids = promise.stream.flatMap(context: context) { Future(value: $0.id) }
        send(from: origin)
        #expect(await Set(letters.texts(on: context)) == ["A", "d", "a", "offline", "B", "o", "b"])
        #expect(await Set(ids.texts(on: context)) == ["1", "offline", "2"])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `a flatMap whose inner results come from elsewhere`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let doubled = promise.stream.flatMap(context: context) { profile in
            let inner = StreamPromise<Int>()
            Task.detached { inner.success(profile.id * 2) }
            return inner.stream
        }
        let tripled = promise.stream.flatMap(context: context) { profile in
            let inner = Promise<Int>()
            Task.detached { inner.success(profile.id * 3) }
            return inner.future
        }
        send(from: origin)
        #expect(await Set(doubled.values(on: context)) == [2, 4])
        #expect(await Set(tripled.values(on: context)) == [3, 6])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `filter, by both names`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let wanted = promise.stream.filter(context: context) { $0.id == 1 }.map(context: context) { $0.id }
        let unwanted = promise.stream.withFilter(context: context) { $0.name.isEmpty }
        send(from: origin)
        #expect(await wanted.texts(on: context).count == 3)
        #expect(await wanted.values() == [1])
        #expect(await unwanted.elements(on: context).allSatisfy { $0.isFailure() })
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `andThen, forEach and scan`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let seen = StreamPromise<Int>()
        promise.stream.forEach(context: context) { seen.success($0.id) }
        promise.stream.onFinish(context: context) { seen.finish() }
        let sums = promise.stream.andThen(context: context) { _ in }.scan(0, context: context) { $0 + $1.id }
        send(from: origin)
        #expect(await sums.texts(on: context) == ["1", "offline", "3"])
        #expect(await seen.stream.values(on: context) == [1, 2])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `what a closure throws is an element`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let thrown = promise.stream.map(context: context) { profile in
            guard profile.id == 2 else { throw AppError.unknown }
            return profile.id
        }
        send(from: origin)
        #expect(await thrown.texts(on: context) == ["unknown", "offline", "2"])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `on a context of the main actor a closure may read and change the model`(
        place: Place, origin: Origin
    ) async {
        let context = place.makeContext()
        let model = FeedModel()
        let names = promise.stream
            .andThen(context: context) { profile in MainActor.assumeIsolated { model.show(profile) } }
            .map(context: context) { _ in MainActor.assumeIsolated { model.log.count } }
            .flatMap(context: context) { count -> Future<[String]> in
                MainActor.assumeIsolated { Future(value: Array(model.log.prefix(count))) }
            }
            .flatMap(context: context) { names -> FutureStream<[String]> in
                MainActor.assumeIsolated { FutureStream(value: names + [model.title]) }
            }
        let titles =
            names
            .filter(context: context) { names in MainActor.assumeIsolated { names.last == model.title } }
            .scan(0, context: context) { sum, names in
                MainActor.assumeIsolated { sum + names.count + model.log.count }
            }
        send(from: origin)
        #expect(await titles.elements().count == 3)
        #expect(model.log == ["Ada", "Bob"])
    }
}
