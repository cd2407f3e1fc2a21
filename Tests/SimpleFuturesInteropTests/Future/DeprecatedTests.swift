import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// The calls with names from the release candidate, behind a protocol, so that the tests use them without a warning.
private protocol OldCode {
    func link(_ task: Task<Void, Never>, to token: CancelToken) -> Registration
    func values(of futures: [Future<Int>]) async throws -> [Int]
}

private struct OldNames: OldCode {
    @available(*, deprecated)
    func link(_ task: Task<Void, Never>, to token: CancelToken) -> Registration { token.cancel(task) }

    @available(*, deprecated)
    func values(of futures: [Future<Int>]) async throws -> [Int] {
        try await futures.values.reduce(into: []) { $0.append($1) }
    }
}

@Suite("Names of the release candidate", .watchdog)
struct DeprecatedTests {
    private let old: any OldCode = OldNames()

    @Test func `they behave like today's names`() async throws {
        let (token, gate) = (CancelToken(), Future<Void>())
        let task = Task { _ = await gate.outcome }
        _ = old.link(task, to: token)
        token.cancel()
        await task.value
        #expect(task.isCancelled)
        #expect(try await old.values(of: [Future(value: 1), Future(value: 2)]) == [1, 2])
    }
}
