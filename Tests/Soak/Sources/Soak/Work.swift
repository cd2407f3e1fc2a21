import SimpleFutures

/// A kind of work: typical user code.
struct Work: Sendable {
    let name: String
    /// How many operations one run counts as.
    let size: Int
    /// Does the work in a given round, and returns when the results have arrived or are on their way.
    let run: @Sendable (Site, Int) async -> Void

    static let all: [Work] = futures + tokens + tasks + streams + blocks
}

struct Failure: Error {}

/// Runs a task and ignores its result: an error is a result too.
func attempt(_ body: () async throws -> Void) async { try? await body() }
