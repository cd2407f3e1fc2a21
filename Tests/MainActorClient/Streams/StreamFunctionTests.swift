import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Functions, key paths and initialisers for closures of streams", .watchdog)
struct StreamFunctionTests {
    private let promise = StreamPromise<Profile>()

    private func send(from origin: Origin) { origin.call { [promise] in promise.sendAll() } }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `functions that belong to no actor`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let texts = promise.stream
            .map(context: context, mapping: uppercased)
            .filter(context: context, isWanted)
            .andThen(context: context, completion: ignore)
            .recover(context: context, recovery: describe)
        let quoted = promise.stream.map(context: context, mapping: uppercased).flatMap(context: context, mapping: quote)
        let spelt = promise.stream.map(context: context, mapping: uppercased).flatMap(context: context, mapping: spell)
        send(from: origin)
        #expect(await texts.values(on: context) == ["ADA", "offline", "BOB"])
        #expect(await Set(quoted.values(on: context)) == ["<ADA>", "<BOB>"])
        #expect(await spelt.values(on: context).count == 6)
    }

    // Written on the main actor, a key path becomes a function of the main actor's.
    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `key paths, on a context of the main actor`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let counts = promise.stream.map(context: context, mapping: \.name).map(context: context, mapping: \.count)
        let initials = promise.stream.compactMap(context: context, \.initial)
        send(from: origin)
        #expect(await counts.values() == [3, 3])
        #expect(await initials.values() == ["A", "B"])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `initialisers and cases, those of the main actor's types included`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let rows = promise.stream.map(context: context, mapping: Row.init(profile:))
        let states = promise.stream.map(context: context, mapping: State.loaded)
        send(from: origin)
        #expect(await rows.values(on: context).map { $0.title } == ["Ada", "Bob"])
        #expect(await states.values(on: context).map { $0.title } == ["Ada", "Bob"])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `functions of the library`(place: Place, origin: Origin) async {
        let (context, token) = (place.makeContext(), CancelToken())
        let (copy, results) = (StreamPromise<Profile>(), StreamPromise<Profile>())
        promise.stream.onSuccess(context: context, completion: copy.success)
        promise.stream.onFailure(context: context, completion: copy.failure)
        promise.stream.onComplete(context: context, completion: results.complete)
        promise.stream.onFinish(context: context, copy.finish)
        promise.stream.onFinish(context: context, results.finish)
        promise.stream.onFinish(context: context, token.cancel)
        send(from: origin)
        #expect(await copy.stream.values(on: context).map { $0.id } == [1, 2])
        #expect(await results.stream.elements(on: context).count == 3)
        await until {
            (context as? ManualContext)?.run()
            return token.isCancelled
        }
    }
}

nonisolated private func uppercased(_ profile: Profile) -> String { profile.name.uppercased() }
nonisolated private func isWanted(_ text: String) -> Bool { !text.isEmpty }
nonisolated private func ignore(_ text: String) {}
nonisolated private func describe(_ error: any Error) -> String { "\(error)" }
nonisolated private func quote(_ text: String) -> Future<String> { Future(value: "<\(text)>") }
nonisolated private func spell(_ text: String) -> FutureStream<Character> {
    FutureStream { emit in for letter in text { emit(.success(letter)) } }
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
