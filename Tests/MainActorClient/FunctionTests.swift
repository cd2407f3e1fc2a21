import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Functions, key paths and initializers instead of closures", .watchdog)
struct FunctionTests {
    private let promise = Promise<Profile>()
    private let stream = StreamPromise<Profile>()

    private func send() {
        Origin.backgroundQueue.call { [promise, stream] in
            promise.success(Profile(id: 1, name: "Ada"))
            stream.sendAll()
        }
    }

    @Test(arguments: ContextKind.allCases)
    func `functions without an actor, and key paths in one`(kind: ContextKind) async throws {
        let (context, formatter) = (kind.makeContext(), Formatter())
        let text = promise.future
            .map(context: context, mapping: uppercased)
            .map(context: context, mapping: formatter.shorten)
            .flatMap(context: context, mapping: Formatter.quote)
            .filter(context: context, isWanted)
            .andThen(context: context, completion: ignore)
        let names = stream.stream.map(context: context, mapping: uppercased)
        let texts =
            names
            .filter(context: context, isWanted)
            .andThen(context: context, completion: ignore)
            .recover(context: context, recovery: describe)
        let quoted = names.flatMap(context: context, mapping: Formatter.quote)
        let spelt = names.flatMap(context: context, mapping: spell)
        let initial = firstLetter(of: promise.future, on: context)
        send()
        #expect(try await text.value == "<AD>")
        #expect(await texts.values() == ["ADA", "offline", "BOB"])
        #expect(await Set(quoted.values()) == ["<ADA>", "<BOB>"])
        #expect(await spelt.values().count == 6)
        #expect(try await initial.value == "A")
    }

    // On the main actor, a key path becomes a function isolated to the main actor. With -enable-actor-data-race-checks
    // it traps on other threads, even without this library.
    @Test(arguments: ContextKind.ofMainActor)
    func `key paths, on a context of the main actor`(kind: ContextKind) async throws {
        let context = kind.makeContext()
        let count = promise.future.map(context: context, mapping: \.name).map(context: context, mapping: \.count)
        let isEmpty = promise.future.map(context: context, mapping: \Profile.name).filter(context: context, \.isEmpty)
        let counts = stream.stream.map(context: context, mapping: \.name).map(context: context, mapping: \.count)
        let initials = stream.stream.compactMap(context: context, \.initial)
        send()
        #expect(try await count.value == 3)
        #expect(await isEmpty.outcome.error as? FuturesError == .noSuchElement)
        #expect(await counts.values() == [3, 3])
        #expect(await initials.values() == ["A", "B"])
    }

    nonisolated private func firstLetter(
        of profile: Future<Profile>, on context: any ExecutionContext
    ) -> Future<Character?> {
        profile.map(context: context, mapping: \.initial).filter(context: context, \.isSome)
    }

    @Test(arguments: ContextKind.allCases)
    func `initializers and enum cases, including those of main-actor types`(kind: ContextKind) async throws {
        let context = kind.makeContext()
        let row = promise.future.map(context: context, mapping: Row.init(profile:))
        let state = promise.future.map(context: context, mapping: State.loaded)
        let text = promise.future.map(context: context) { $0.id }.map(context: context, mapping: String.init)
        let rows = stream.stream.map(context: context, mapping: Row.init(profile:))
        let states = stream.stream.map(context: context, mapping: State.loaded)
        send()
        #expect(try await row.value.title == "Ada")
        #expect(try await state.value.title == "Ada")
        #expect(try await text.value == "1")
        #expect(await rows.values().map { $0.title } == ["Ada", "Bob"])
        #expect(await states.values().map { $0.title } == ["Ada", "Bob"])
    }

    @Test(arguments: ContextKind.allCases)
    func `functions of the library`(kind: ContextKind) async throws {
        let (context, token) = (kind.makeContext(), CancelToken())
        let (copy, failure, stopped) = (Promise<Profile>(), Promise<Profile>(), Promise<Void>())
        let (copies, results) = (StreamPromise<Profile>(), StreamPromise<Profile>())
        promise.future.onSuccess(context: context, completion: copy.success)
        promise.future.onFailure(context: context, completion: failure.failure)
        promise.future.onComplete(context: context, completion: failure.complete)
        copy.future.asVoid().onSuccess(context: context, completion: token.cancel)
        token.onCancel(stopped.success)
        stream.stream.onSuccess(context: context, completion: copies.success)
        stream.stream.onFailure(context: context, completion: copies.failure)
        stream.stream.onComplete(context: context, completion: results.complete)
        stream.stream.onFinish(context: context, copies.finish)
        stream.stream.onFinish(context: context, results.finish)
        send()
        #expect(try await copy.future.value.name == "Ada")
        #expect(try await failure.future.value.name == "Ada")
        try await stopped.future.value
        #expect(await copies.stream.values().map { $0.id } == [1, 2])
        #expect(await results.stream.elements().count == 3)
    }
}

extension Optional {
    nonisolated fileprivate var isSome: Bool { self != nil }
}

nonisolated private func uppercased(_ profile: Profile) -> String { profile.name.uppercased() }
nonisolated private func isWanted(_ text: String) -> Bool { !text.isEmpty }
nonisolated private func ignore(_ text: String) {}
nonisolated private func describe(_ error: any Error) -> String { "\(error)" }
nonisolated private func spell(_ text: String) -> FutureStream<Character> {
    FutureStream { emit in for letter in text { emit(.success(letter)) } }
}

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

    var title: String { if case .loaded(let profile) = self { profile.name } else { "…" } }
}

@Suite("Objects of the main actor as values, and as captures", .watchdog)
struct ValueTests {
    private let promise = Promise<Document>()
    private let stream = StreamPromise<Document>()
    private let document = Document(title: "Notes")

    private func send() {
        Origin.backgroundQueue.call { [promise, stream, document] in
            promise.success(document)
            stream.success(document)
            stream.finish()
        }
    }

    @Test(arguments: ContextKind.allCases)
    func `objects and closures of the main actor pass through every context`(kind: ContextKind) async throws {
        let (context, document) = (kind.makeContext(), document)
        let (first, actions) = (Promise<@MainActor () -> Void>(), StreamPromise<@MainActor () -> Void>())
        let same = promise.future.map(context: context) { $0 }.filter(context: context) { $0 === document }
        let all = stream.stream
            .map(context: context) { $0 }
            .filter(context: context) { $0 === document }
            .flatMap(context: context) { Future(value: $0) }
        let (action, others) = (first.future.map(context: context) { $0 }, actions.stream.map(context: context) { $0 })
        send()
        Origin.backgroundQueue.call {
            first.success { document.title += "!" }
            actions.success { document.title += "?" }
            actions.finish()
        }
        #expect(try await same.value === document)
        #expect(await all.values().map { $0 === document } == [true])
        try await action.value()
        for action in await others.values() { action() }
        #expect(document.title == "Notes!?")
    }

    @Test(arguments: ContextKind.allCases)
    func `objects with a main-actor deinit can be released anywhere`(kind: ContextKind) async {
        let (context, released) = (kind.makeContext(), StreamPromise<Bool>())
        let (number, screens) = (Promise<Int>(), StreamPromise<Screen>(capacity: 0))
        let (used, count): (Future<Int>, FutureStream<Int>)
        do {
            let screen = Screen { released.success($0) }
            used = number.future.map(context: context) { number in
                screen.touch()
                return number
            }
            count = screens.stream.map(context: context) { _ in 1 }
            let element = Screen { released.success($0) }
            Origin.backgroundQueue.call {
                number.success(1)
                screens.success(element)
                screens.finish()
            }
        }
        #expect(await used.outcome.value == 1)
        _ = await count.elements()
        await until { released.stream.count == 2 }
        #expect(released.stream.futures.allSatisfy { $0.result?.value == true })
    }

    // The description of such a value is isolated to the main actor: on other threads the standard library uses another
    // one.
    @Test(arguments: ContextKind.allCases)
    func `futures and streams can be described on any thread`(kind: ContextKind) async throws {
        let context = kind.makeContext()
        let described = promise.future.map(context: context) { [stream] document in
            "\(Future(value: document)) \(FutureStream(value: document)) \(stream)"
        }
        send()
        let text = try await described.value
        #expect(text.hasPrefix("Future<Document>") && text.contains("FutureStream<Document>"))
        #expect("\(promise.future)" == "Future<Document>(success(Notes))")
    }
}

private final class Screen {
    private let onRelease: @Sendable (Bool) -> Void
    private var isOpen = true

    init(onRelease: @escaping @Sendable (Bool) -> Void) { self.onRelease = onRelease }

    nonisolated func touch() {}

    isolated deinit { onRelease(isOpen) }
}
