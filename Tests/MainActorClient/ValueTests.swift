import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

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
    func `objects pass through every context`(kind: ContextKind) async throws {
        let (context, document) = (kind.makeContext(), document)
        let same = promise.future.map(context: context) { $0 }.filter(context: context) { $0 === document }
        let all = stream.stream
            .map(context: context) { $0 }
            .filter(context: context) { $0 === document }
            .flatMap(context: context) { Future(value: $0) }
        send()
        #expect(try await same.end(on: context).get().title == "Notes")
        #expect(await all.values(on: context).map { $0.title } == ["Notes"])
    }

    @Test(arguments: ContextKind.ofMainActor)
    func `objects are created, read and changed on the main actor`(kind: ContextKind) async throws {
        let (context, titles) = (kind.makeContext(), StreamPromise<String>())
        let title = Future(value: "Notes")
            .map(context: context) { title in MainActor.assumeIsolated { Document(title: title) } }
            .andThen(context: context) { document in MainActor.assumeIsolated { document.title += "!" } }
            .map(context: context) { document in MainActor.assumeIsolated { document.title } }
        let changed = titles.stream
            .map(context: context) { title in MainActor.assumeIsolated { Document(title: title) } }
            .andThen(context: context) { document in MainActor.assumeIsolated { document.title += "!" } }
            .map(context: context) { document in MainActor.assumeIsolated { document.title } }
        titles.success("Letter")
        titles.finish()
        #expect(try await title.value == "Notes!")
        #expect(await changed.values() == ["Letter!"])
    }

    @Test(arguments: ContextKind.allCases)
    func `closures isolated to the main actor can be values`(kind: ContextKind) async throws {
        let (context, document) = (kind.makeContext(), document)
        let (promise, stream) = (Promise<@MainActor () -> Void>(), StreamPromise<@MainActor () -> Void>())
        let action = promise.future.map(context: context) { $0 }
        let actions = stream.stream.map(context: context) { $0 }
        Origin.backgroundQueue.call {
            promise.success { document.title += "!" }
            stream.success { document.title += "?" }
            stream.finish()
        }
        try await action.end(on: context).get()()
        for action in await actions.values(on: context) { action() }
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
        #expect(await used.end(on: context).value == 1)
        _ = await count.elements(on: context)
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
        let text = try await described.end(on: context).get()
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
