import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Types of a main-actor module that are results", .watchdog)
struct TryableTests {
    @Test func `they have the combinators, and closures stay on the main actor`() {
        let model = ProfileModel()
        let answer = Validation("4")
        let doubled = answer.map { $0 * 2 }.filter { number in
            model.show(Profile(id: number, name: "checked"))
            return number == 8
        }
        #expect(doubled.value == 8)
        #expect(model.title == "checked")
        #expect(Validation("four").recover { _ in model.log.count }.value == 1)
        #expect((Validation("four") ?? model.log.count) == 1)
        #expect([Validation("1"), Validation("2")].sequence().value == [1, 2])
        #expect(["1", "two"].map(Validation.init(text:)).sequence().error as? AppError == .unknown)
    }

    @Test(arguments: Origin.allCases)
    func `a future carries them`(origin: Origin) async throws {
        let promise = Promise<Validation>()
        let answer = Validation("4")
        origin.call { promise.success(answer) }
        #expect(try await promise.future.value.getOrElse(0) == 4)
        let number = promise.future.map { answer in MainActor.assumeIsolated { answer.asTry } }
        #expect(try await number.value.value == 4)
    }

    @Test func `optionals, too`() {
        let model = ProfileModel()
        Optional("Ada").filter { $0 != model.title }.forEach { model.show(Profile(id: 1, name: $0)) }
        #expect(model.title == "Ada")
    }
}

/// Nothing is annotated: the conformance is the main actor's, too.
private struct Validation: Tryable {
    let value: Int?
    let error: (any Error)?

    init(_ value: Int) { (self.value, error) = (value, nil) }
    init(_ error: any Error) { (value, self.error) = (nil, error) }

    init(_ text: String) {
        value = Int(text)
        error = value == nil ? AppError.unknown : nil
    }

    init(text: String) { self.init(text) }
}
