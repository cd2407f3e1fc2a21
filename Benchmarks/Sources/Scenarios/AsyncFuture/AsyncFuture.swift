import SimpleFutures
import SimpleFuturesInterop

/// Row 10: start an asynchronous closure and await its result.
enum AsyncFuture {
    static let future = Scenario("async.future") { try await futures($0) }
    static let task = Scenario("async.task") { try await tasks($0) }
    static let continuation = Scenario("async.continuation") { try await continuations($0) }

    @concurrent
    static func futures(_ count: Int) async throws {
        for value in 0..<count {
            blackHole(try await Future { try await number(value) }.value)
        }
    }

    /// A throwing task, because a future can fail as well.
    @concurrent
    static func tasks(_ count: Int) async throws {
        for value in 0..<count {
            blackHole(try await Task { try await number(value) }.value)
        }
    }

    @inline(never)
    static func number(_ value: Int) async throws -> Int { value &+ 1 }
}
