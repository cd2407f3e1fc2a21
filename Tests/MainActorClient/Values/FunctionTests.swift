import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Functions, key paths and initialisers for closures", .watchdog)
struct FunctionTests {
    private let promise = Promise<Profile>()

    @Test(arguments: Place.allCases, Origin.allCases)
    func `functions that belong to no actor`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let formatter = Formatter()
        let text = promise.future
            .map(context: context, mapping: uppercased)
            .map(context: context, mapping: formatter.shorten)
            .flatMap(context: context, mapping: Formatter.quote)
            .filter(context: context, isWanted)
            .andThen(context: context, completion: ignore)
        origin.call { [promise] in promise.success(Profile(id: 1, name: "Ada")) }
        #expect(try await text.end(on: context).get() == "<AD>")
    }

    // Written on the main actor, a key path becomes a function of the main actor's. With -enable-actor-data-race-checks
    // it traps elsewhere, and so it does without any library.
    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `key paths, on a context of the main actor`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let count = promise.future.map(context: context, mapping: \.name).map(context: context, mapping: \.count)
        let isEmpty = promise.future.map(context: context, mapping: \Profile.name).filter(context: context, \.isEmpty)
        origin.call { [promise] in promise.success(Profile(id: 1, name: "Ada")) }
        #expect(try await count.value == 3)
        #expect(await isEmpty.outcome.error as? FuturesError == .noSuchElement)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `key paths in a function that belongs to no actor, on every context`(
        place: Place, origin: Origin
    ) async throws {
        let context = place.makeContext()
        let initial = firstLetter(of: promise.future, on: context)
        origin.call { [promise] in promise.success(Profile(id: 1, name: "Ada")) }
        #expect(try await initial.end(on: context).get() == "A")
    }

    nonisolated private func firstLetter(
        of profile: Future<Profile>, on context: any ExecutionContext
    ) -> Future<Character?> {
        profile.map(context: context, mapping: \.initial).filter(context: context, \.isSome)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `initialisers and cases, those of the main actor's types included`(
        place: Place, origin: Origin
    ) async throws {
        let context = place.makeContext()
        let row = promise.future.map(context: context, mapping: Row.init(profile:))
        let state = promise.future.map(context: context, mapping: State.loaded)
        let text = promise.future.map(context: context) { $0.id }.map(context: context, mapping: String.init)
        origin.call { [promise] in promise.success(Profile(id: 1, name: "Ada")) }
        #expect(try await row.end(on: context).get().title == "Ada")
        #expect(try await state.end(on: context).get().title == "Ada")
        #expect(try await text.end(on: context).get() == "1")
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `functions of the library`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let (copy, failure, token) = (Promise<Profile>(), Promise<Profile>(), CancelToken())
        promise.future.onSuccess(context: context, completion: copy.success)
        promise.future.onFailure(context: context, completion: failure.failure)
        promise.future.onComplete(context: context, completion: failure.complete)
        copy.future.asVoid().onSuccess(context: context, completion: token.cancel)
        let stopped = Promise<Void>()
        token.onCancel(stopped.success)
        origin.call { [promise] in promise.success(Profile(id: 1, name: "Ada")) }
        #expect(try await copy.future.end(on: context).get().name == "Ada")
        #expect(try await failure.future.end(on: context).get().name == "Ada")
        try await stopped.future.end(on: context).get()
    }

    @Test(arguments: Origin.allCases)
    func `methods of a model, by a function of the app that says where they run`(origin: Origin) async {
        let model = ProfileModel()
        promise.future.whenSucceeded(model.show)
        promise.future.whenSucceeded { _ in model.fail(AppError.unknown) }
        origin.call { [promise] in promise.success(Profile(id: 1, name: "Ada")) }
        await until { model.error == .unknown }
        #expect(model.title == "Ada")
    }
}

extension Future {
    /// What an app writes until the library has it.
    fileprivate func whenSucceeded(_ body: @escaping @MainActor (T) -> Void) {
        onSuccess(context: QueueContext.main) { value in MainActor.assumeIsolated { body(value) } }
    }
}

extension Optional {
    nonisolated fileprivate var isSome: Bool { self != nil }
}

nonisolated private func uppercased(_ profile: Profile) -> String { profile.name.uppercased() }
nonisolated private func isWanted(_ text: String) -> Bool { !text.isEmpty }
nonisolated private func ignore(_ text: String) {}

nonisolated private struct Formatter {
    func shorten(_ text: String) -> String { String(text.prefix(2)) }
    static func quote(_ text: String) -> Future<String> { Future(value: "<\(text)>") }
}

private struct Row {
    let profile: Profile
    var title: String { profile.name }
}

private enum State {
    case loading
    case loaded(Profile)

    var title: String {
        switch self {
        case .loading: "…"
        case .loaded(let profile): profile.name
        }
    }
}
