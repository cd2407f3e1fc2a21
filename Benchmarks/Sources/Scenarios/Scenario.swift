/// One thing that is measured, by one implementation.
///
/// The benchmarks, the comparison and the instruction counts all run these same functions.
public struct Scenario: Sendable {
    /// What is measured and whose it is, as in `callback.nio`.
    public let name: String

    /// How many operations belong together: a run has a multiple of it, and one at least.
    public let batch: Int

    /// Does it so many times and returns how long what counts has taken.
    private let body: @Sendable (_ count: Int) async throws -> Duration

    /// Something all of which counts.
    ///
    /// Whatever has to be made once, an event loop for instance, is made in here, so that the difference between a
    /// short and a long run is the cost of the operations alone.
    init(_ name: String, batch: Int = 1, run: @escaping @Sendable (_ count: Int) async throws -> Void) {
        self.init(name, batch: batch) { count, stopwatch in
            try await stopwatch.measure { try await run(count) }
        }
    }

    /// Something that has to be prepared at length: what it measures with the stopwatch counts.
    init(
        _ name: String,
        batch: Int = 1,
        timing: @escaping @Sendable (_ count: Int, _ stopwatch: inout Stopwatch) async throws -> Void
    ) {
        self.name = name
        self.batch = batch
        body = { count in
            var stopwatch = Stopwatch()
            try await timing(count, &stopwatch)
            return stopwatch.elapsed
        }
    }

    /// Does it that many times, rounded up to whole batches, and returns the nanoseconds of one.
    @discardableResult
    public func run(_ count: Int) async throws -> Double {
        let operations = (max(count, 1) + batch - 1) / batch * batch
        return try await body(operations) / .nanoseconds(1) / Double(operations)
    }
}

/// The time that counts, in pieces.
struct Stopwatch {
    private(set) var elapsed = Duration.zero
    private let clock = ContinuousClock()

    /// Adds the time that the body takes.
    mutating func measure(_ body: () async throws -> Void) async rethrows {
        let start = clock.now
        try await body()
        elapsed += clock.now - start
    }

    /// Adds the time that the body takes.
    mutating func measure(_ body: () throws -> Void) rethrows {
        let start = clock.now
        try body()
        elapsed += clock.now - start
    }
}
