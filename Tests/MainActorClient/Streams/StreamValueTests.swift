import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Objects of the main actor as elements, and as captures", .watchdog)
struct StreamValueTests {
    @Test(arguments: Place.allCases, Origin.allCases)
    func `objects pass through every context`(place: Place, origin: Origin) async {
        let (context, promise) = (place.makeContext(), StreamPromise<Document>())
        let (notes, letter) = (Document(title: "Notes"), Document(title: "Letter"))
        let same = promise.stream
            .map(context: context) { $0 }
            .filter(context: context) { $0 === notes || $0 === letter }
            .flatMap(context: context) { Future(value: $0) }
        origin.call {
            promise.success(notes)
            promise.success(letter)
            promise.finish()
        }
        #expect(await same.values(on: context).map { $0.title } == ["Notes", "Letter"])
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `they are made, read and changed on the main actor`(place: Place, origin: Origin) async {
        let (context, promise) = (place.makeContext(), StreamPromise<String>())
        let titles = promise.stream
            .map(context: context) { title in MainActor.assumeIsolated { Document(title: title) } }
            .andThen(context: context) { document in MainActor.assumeIsolated { document.title += "!" } }
            .map(context: context) { document in MainActor.assumeIsolated { document.title } }
        origin.call {
            promise.success("Notes")
            promise.success("Letter")
            promise.finish()
        }
        #expect(await titles.values() == ["Notes!", "Letter!"])
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `closures of the main actor are elements`(place: Place, origin: Origin) async {
        let (context, document) = (place.makeContext(), Document(title: ""))
        let promise = StreamPromise<@MainActor () -> Void>()
        let actions = promise.stream.map(context: context) { $0 }
        origin.call {
            promise.success { document.title += "a" }
            promise.success { document.title += "b" }
            promise.finish()
        }
        for action in await actions.values(on: context) { action() }
        #expect(document.title == "ab")
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `an object whose deinit is the main actor's may be released anywhere`(place: Place, origin: Origin) async {
        let (context, promise) = (place.makeContext(), StreamPromise<Int>())
        let released = Promise<Bool>()
        let used: FutureStream<Int>
        do {
            let screen = Screen { released.success($0) }
            used = promise.stream.map(context: context) { number in
                screen.touch()
                return number
            }
        }
        origin.call {
            promise.success(1)
            promise.finish()
        }
        #expect(await used.values(on: context) == [1])
        await until { released.completed }
        #expect(released.future.result?.value == true)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `elements that nobody keeps are released anywhere`(place: Place, origin: Origin) async {
        let (context, released) = (place.makeContext(), StreamPromise<Bool>())
        let promise = StreamPromise<Screen>(capacity: 0)
        let counted = promise.stream.map(context: context) { _ in 1 }.scan(0, context: context) { $0 + $1 }
        for _ in 0..<3 {
            let screen = Screen { released.success($0) }
            origin.call { promise.success(screen) }
        }
        await until {
            (context as? ManualContext)?.run()
            return released.stream.count == 3
        }
        promise.finish()
        _ = await counted.elements(on: context)
        #expect(released.stream.futures.allSatisfy { $0.result?.value == true })
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `streams are described anywhere`(place: Place, origin: Origin) async {
        let (context, promise) = (place.makeContext(), StreamPromise<Document>())
        let described = promise.stream.map(context: context) { "\(FutureStream(value: $0)) \(promise)" }
        let document = Document(title: "Notes")
        origin.call {
            promise.success(document)
            promise.finish()
        }
        #expect(await described.values(on: context)[0].hasPrefix("FutureStream<Document>"))
    }
}

private final class Document {
    var title: String

    init(title: String) { self.title = title }
}

private final class Screen {
    private let onRelease: @Sendable (Bool) -> Void
    private var isOpen = true

    init(onRelease: @escaping @Sendable (Bool) -> Void) { self.onRelease = onRelease }

    nonisolated func touch() {}

    isolated deinit { onRelease(isOpen) }
}
