import SimpleFutures

/// One kind of work: what a user does, some of it at a time.
struct Work: Sendable {
    let name: String
    /// How many operations one run counts as.
    let size: Int
    /// Does it, in the round with that number, and returns when its answers have come or are on the way.
    let run: @Sendable (Site, Int) async -> Void

    static let all: [Work] = futures + tokens + tasks + streams + blocks
}

struct Failure: Error {}

/// The work of a task whose result nobody needs: an error is an answer.
func attempt(_ body: () async throws -> Void) async { try? await body() }
