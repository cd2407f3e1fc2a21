import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Recovery in a main-actor module, on every context, from everywhere", .watchdog)
struct RecoveryTests {
    private let promise = Promise<Profile>()
    private let nobody = Profile(id: 0, name: "Nobody")

    private func fail(from origin: Origin) { origin.call { [promise] in promise.failure(AppError.offline) } }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `recover and recoverWith`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let (value, future) = (
            promise.future.recover(context: context) { [nobody] _ in nobody },
            promise.future.recoverWith(context: context) { [nobody] _ in Future(value: nobody) }
        )
        fail(from: origin)
        #expect(try await value.end(on: context).get() == nobody)
        #expect(try await future.end(on: context).get() == nobody)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `mapError and flatMapError`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let mapped = promise.future
            .mapError(context: context) { $0 as? AppError == .offline ? AppError.unknown : $0 }
            .flatMapError(context: context) { Future(error: $0) }
        fail(from: origin)
        #expect(await mapped.end(on: context).error as? AppError == .unknown)
    }

    // The right side is evaluated on the default context.
    @Test(arguments: Origin.allCases)
    func `a default value, and a default future`(origin: Origin) async throws {
        let (value, future) = (promise.future ?? nobody, promise.future ?? Future(value: nobody))
        let last = promise.future ?? Future(error: AppError.unknown) ?? nobody
        fail(from: origin)
        #expect(try await value.value == nobody)
        #expect(try await future.value == nobody)
        #expect(try await last.value == nobody)
    }

    @Test(arguments: Origin.allCases)
    func `a default that is the model's is read on the main actor`(origin: Origin) async throws {
        let model = ProfileModel()
        model.show(nobody)
        let title = promise.future.map { $0.name } ?? MainActor.assumeIsolated { model.title }
        let future = promise.future.map { $0.name } ?? MainActor.assumeIsolated { Future(value: model.title) }
        fail(from: origin)
        #expect(try await title.value == "Nobody")
        #expect(try await future.value == "Nobody")
    }
}
