import Dispatch
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Objects of the main actor as values, and as captures", .watchdog)
struct MainActorClassTests {
    @Test(arguments: Place.allCases, Origin.allCases)
    func `an object passes through every context`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let promise = Promise<Document>()
        let document = Document(title: "Notes")
        let same = promise.future.map(context: context) { $0 }.filter(context: context) { $0 === document }
        origin.call { promise.success(document) }
        let arrived = try await same.end(on: context).get()
        #expect(arrived.title == "Notes")
    }

    @Test(arguments: Place.ofMainActor, Origin.allCases)
    func `one is made, read and changed on the main actor`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let promise = Promise<String>()
        let count = promise.future
            .map(context: context) { title in MainActor.assumeIsolated { Document(title: title) } }
            .andThen(context: context) { document in MainActor.assumeIsolated { document.title += "!" } }
            .map(context: context) { document in MainActor.assumeIsolated { document.title } }
        origin.call { promise.success("Notes") }
        #expect(try await count.value == "Notes!")
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `a closure of the main actor is a value`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let document = Document(title: "Notes")
        let promise = Promise<@MainActor () -> Void>()
        let action = promise.future.map(context: context) { $0 }
        origin.call { promise.success { document.title = "Done" } }
        try await action.end(on: context).get()()
        #expect(document.title == "Done")
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `an object whose deinit is the main actor's may be released anywhere`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let released = Promise<Bool>()
        let promise = Promise<Int>()
        let used: Future<Int>
        do {
            let screen = Screen { released.success($0) }
            used = promise.future.map(context: context) { number in
                screen.touch()
                return number
            }
        }
        origin.call { promise.success(1) }
        #expect(await used.end(on: context).value == 1)
        #expect(await released.future.outcome.value == true)
    }

    @Test(arguments: Place.allCases, Origin.allCases)
    func `an object that is gone is nobody's concern`(place: Place, origin: Origin) async {
        let context = place.makeContext()
        let promise = Promise<Int>()
        var document: Document? = Document(title: "Notes")
        weak let weakDocument = document
        let title = promise.future.map(context: context) { [weak document] _ in document == nil }
        document = nil
        #expect(weakDocument == nil)
        origin.call { promise.success(1) }
        #expect(await title.end(on: context).value == true)
    }

    // The description of such a value is the main actor's: elsewhere the standard library finds another one.
    @Test(arguments: Place.allCases, Origin.allCases)
    func `futures are described anywhere`(place: Place, origin: Origin) async throws {
        let context = place.makeContext()
        let promise = Promise<Document>()
        let described = promise.future.map(context: context) { "\(Future(value: $0)) \(promise)" }
        let document = Document(title: "Notes")
        origin.call { promise.success(document) }
        #expect(try await described.end(on: context).get().hasPrefix("Future<Document>"))
        #expect("\(promise.future)" == "Future<Document>(success(Notes))")
    }
}

private final class Document: CustomStringConvertible {
    var title: String

    init(title: String) { self.title = title }

    var description: String { title }
}

private final class Screen {
    private let onRelease: @Sendable (Bool) -> Void
    private var isOpen = true

    init(onRelease: @escaping @Sendable (Bool) -> Void) { self.onRelease = onRelease }

    nonisolated func touch() {}

    isolated deinit { onRelease(isOpen) }
}
