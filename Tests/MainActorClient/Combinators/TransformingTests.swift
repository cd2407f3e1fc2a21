import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Chains of a main-actor module, on every context, from everywhere", .watchdog)
struct TransformingTests {
    private let promise = Promise<Profile>()
    private let ada = Profile(id: 1, name: "Ada")

    private func succeed(from origin: Origin) { origin.call { [promise, ada] in promise.success(ada) } }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `map and flatMap`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let greeting = promise.future
            .map(context: context) { $0.name }
            .flatMap(context: context) { name in Future(value: "Hello \(name)") }
        succeed(from: origin)
        #expect(try await greeting.end(on: context).get() == "Hello Ada")
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `a flatMap whose inner future comes from elsewhere`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let doubled = promise.future.flatMap(context: context) { profile in
            let inner = Promise<Int>()
            Task.detached { inner.success(profile.id * 2) }
            return inner.future
        }
        succeed(from: origin)
        #expect(try await doubled.end(on: context).get() == 2)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `filter, by both names`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let wanted = promise.future.filter(context: context) { $0.id == 1 }
        let unwanted = promise.future.withFilter(context: context) { $0.name.isEmpty }
        succeed(from: origin)
        #expect(try await wanted.end(on: context).get() == ada)
        #expect(await unwanted.end(on: context).error as? FuturesError == .noSuchElement)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `andThen, forEach, materialize and asVoid`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let seen = Promise<Int>()
        promise.future.forEach(context: context) { seen.success($0.id) }
        let end = promise.future.andThen(context: context) { _ in }.materialize()
            .filter(context: context) { $0.isSuccess() }
            .asVoid()
        succeed(from: origin)
        try await end.end(on: context).get()
        #expect(try await seen.future.end(on: context).get() == 1)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `what a closure throws`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let thrown = promise.future.map(context: context) { _ -> Int in throw AppError.unknown }
        succeed(from: origin)
        #expect(await thrown.end(on: context).error as? AppError == .unknown)
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `on a context of the main actor a closure may read and change the model`(
        place: Place, origin: Origin
    ) async throws {
        let context = place.makeContext()
        let model = ProfileModel()
        let title = promise.future
            .andThen(context: context) { profile in MainActor.assumeIsolated { model.show(profile) } }
            .map(context: context) { _ in MainActor.assumeIsolated { model.title } }
            .flatMap(context: context) { title in MainActor.assumeIsolated { Future(value: model.title + title) } }
            .filter(context: context) { title in MainActor.assumeIsolated { title == model.title + model.title } }
        succeed(from: origin)
        #expect(try await title.value == "AdaAda")
    }
}
