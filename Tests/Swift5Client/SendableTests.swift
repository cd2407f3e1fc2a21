import Foundation
import Testing
@testable import TestSupport

/// Checks the statements of the page "Actors and Sendable" in each language mode.
@Suite("Compiler diagnostics for types that are not Sendable", .compiler, .watchdog)
struct SendableTests {
    @Test(arguments: Mode.allCases)
    func `code from before concurrency has errors in Swift 6 mode, and code as the page recommends has none`(
        _ mode: Mode
    ) async throws {
        let said = try await Compiler.typeCheck(before, mode: mode.arguments, legacy: legacy).map(\.message)
        func isSaid(_ message: String) -> Bool { said.contains { $0.contains(message) } }
        #expect(said.isEmpty == (mode == .swift5))
        let ofModel = "type 'Model' does not conform to the 'Sendable' protocol"
        #expect(isSaid(ofModel) == (mode != .swift5))
        let ofProfile = "type 'Profile' does not conform to the 'Sendable' protocol"
        // In a module with main-actor default isolation the type is isolated to the main actor, and so it is Sendable.
        #expect(isSaid(ofProfile) == (mode == .swift6))
        let ofMeter = "capture of 'self' with non-Sendable type 'Meter' in a '@Sendable' closure"
        #expect(isSaid(ofMeter) == (mode == .swift6))
        let ofMainActor = "main actor-isolated property 'total' can not be mutated from a Sendable closure"
        #expect(isSaid(ofMainActor) == (mode == .mainActor))
        #expect(said.contains { $0.contains("add '@preconcurrency'") } == (mode != .swift5))
        let recommended = try await Compiler.typeCheck(after, mode: mode.arguments, legacy: legacy)
        #expect(recommended.map(\.description) == [])
    }

    @Test func `a callback that changes main-actor state is at most a warning in Swift 5 mode`() async throws {
        let said = try await Compiler.typeCheck(callbacks, mode: Mode.swift5.arguments, legacy: legacy)
        #expect(said.filter { $0.severity == "error" }.map(\.description) == [])
        #expect(!said.isEmpty)
    }

    enum Mode: CaseIterable {
        case swift5, swift6, mainActor

        var arguments: [String] {
            switch self {
            case .swift5: return ["5"]
            case .swift6: return ["6"]
            case .mainActor: return ["6", "-default-isolation", "MainActor"]
            }
        }
    }
}

private let legacy = """
    public class Model {
        public var name = ""
        public init() {}
    }
    public class Client {
        public init() {}
        public func load(_ id: Int, completion: @escaping (Model?, Error?) -> Void) { completion(Model(), nil) }
    }
    """

private let before = """
    import Dispatch
    import Legacy
    import SimpleFutures
    import SimpleFuturesInterop

    final class Meter {
        private let queue = DispatchQueue(label: "meter")
        private var total = 0
        func listen(to values: FutureStream<Int>) {
            values.onSuccess(context: queue) { self.total += $0 }
        }
    }

    final class Profile { var name = "" }
    func profile(_ load: (@escaping @Sendable (Profile?, (any Error)?) -> Void) -> Void) -> Future<Profile> {
        future(method: load)
    }

    func model(_ client: Client) -> Future<Model> { future { client.load(1, completion: $0) } }
    func awaited(_ client: Client) async throws -> Model { try await model(client).value }
    """

private let callbacks = """
    import SimpleFutures

    @MainActor final class View {
        private var count = 0
        func show(_ future: Future<Int>, _ stream: FutureStream<Int>) {
            future.onCancel { self.count += 1 }
                .onComplete { _ in self.count += 1 }
                .onFailure { _ in self.count += 1 }
                .onSuccess { self.count += $0 }
            future.ensure { self.count += 1 }
            stream.onCancel { self.count += 1 }
                .onFinish { self.count += 1 }
                .onFailure { _ in self.count += 1 }
                .onSuccess { self.count += $0 }
        }
    }
    """

private let after = """
    import Dispatch
    @preconcurrency import Legacy
    import SimpleFutures
    import SimpleFuturesInterop

    nonisolated final class Meter: @unchecked Sendable {
        // Sendable: mutable state is used only on the queue.
        private let queue = DispatchQueue(label: "meter")
        private var total = 0
        func listen(to values: FutureStream<Int>) {
            values.onSuccess(context: queue) { self.total += $0 }
        }
        func sum() -> Future<Int> {
            future(context: queue) { self.total }
        }
    }

    nonisolated final class Profile: Sendable { let name = "" }
    func profile(_ load: (@escaping @Sendable (Profile?, (any Error)?) -> Void) -> Void) -> Future<Profile> {
        future(method: load)
    }

    func model(_ client: Client) -> Future<Model> { future { client.load(1, completion: $0) } }
    func awaited(_ client: Client) async throws -> Model { try await model(client).value }
    func name(_ client: Client) -> Future<String> {
        future { done in client.load(1) { model, error in done(model?.name, error) } }
    }

    @MainActor final class Screen {
        private var name = ""
        func show(_ profile: Future<Profile>) {
            profile
                .map(isolated: { self.name + $0.name })
                .onSuccess(isolated: { self.name = $0 })
        }
    }
    """
