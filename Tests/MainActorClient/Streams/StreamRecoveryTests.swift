import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Recovery of streams in a main-actor module, on every context, from everywhere", .watchdog)
struct StreamRecoveryTests {
    private let promise = StreamPromise<Profile>()
    private let nobody = Profile(id: 0, name: "Nobody")

    private func send(from origin: Origin) { origin.call { [promise] in promise.sendAll() } }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `recover, and recoverWith a future or a stream`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let value = promise.stream.recover(context: context) { [nobody] _ in nobody }
        let future = promise.stream.recoverWith(context: context) { [nobody] _ in Future(value: nobody) }
        let stream = promise.stream.recoverWith(context: context) { [nobody] _ in FutureStream(value: nobody) }
        send(from: origin)
        #expect(await value.values(on: context).map { $0.id } == [1, 0, 2])
        #expect(await future.values(on: context).map { $0.id }.sorted() == [0, 1, 2])
        #expect(await stream.values(on: context).map { $0.id }.sorted() == [0, 1, 2])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func mapError(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let mapped = promise.stream
            .mapError(context: context) { $0 as? AppError == .offline ? AppError.unknown : $0 }
            .map(context: context) { $0.id }
        send(from: origin)
        #expect(await mapped.texts(on: context) == ["1", "unknown", "2"])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `on a context of the main actor recovery may use a model`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let model = FeedModel()
        model.show(nobody)
        let names = promise.stream.map(context: context) { $0.name }
        let recovered = names.recover(context: context) { error in
            MainActor.assumeIsolated {
                model.fail(error)
                return model.title
            }
        }
        let recoveredWith = names.recoverWith(context: context) { _ in
            MainActor.assumeIsolated { Future(value: model.title) }
        }
        send(from: origin)
        #expect(await recovered.values() == ["Ada", "Nobody", "Bob"])
        #expect(await Set(recoveredWith.values()) == ["Ada", "Nobody", "Bob"])
        #expect(model.log == ["Nobody", "offline"])
    }
}
