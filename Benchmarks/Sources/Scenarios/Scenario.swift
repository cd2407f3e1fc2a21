/// A measured operation of one implementation.
///
/// The benchmarks, the comparison and the instruction counts all run these functions.
public struct Scenario: Sendable {
    /// The operation and the implementation, as in `callback.nio`.
    public let name: String

    /// The number of operations in a batch: a run consists of at least one whole batch.
    public let batch: Int

    /// Runs the operation `count` times and returns the duration that counts.
    private let body: @Sendable (_ count: Int) async throws -> Duration

    /// Makes a scenario whose whole duration counts.
    ///
    /// The closure also does the one-time setup, such as an event loop, so that the difference between a short and a
    /// long run is the cost of the operations alone.
    init(_ name: String, batch: Int = 1, run: @escaping @Sendable (_ count: Int) async throws -> Void) {
        self.init(name, batch: batch) { count, stopwatch in
            try await stopwatch.measure { try await run(count) }
        }
    }

    /// Makes a scenario with a long preparation: only the time measured with the stopwatch counts.
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

    /// Runs the operation that many times, rounded up to whole batches, and returns the nanoseconds per operation.
    @discardableResult
    public func run(_ count: Int) async throws -> Double {
        let operations = (max(count, 1) + batch - 1) / batch * batch
        return try await body(operations) / .nanoseconds(1) / Double(operations)
    }
}

/// The sum of the measured times.
struct Stopwatch {
    private(set) var elapsed = Duration.zero
    private let clock = ContinuousClock()

    /// Adds the duration of the body.
    mutating func measure(_ body: () async throws -> Void) async rethrows {
        let start = clock.now
        try await body()
        elapsed += clock.now - start
    }

    /// Adds the duration of the body.
    mutating func measure(_ body: () throws -> Void) rethrows {
        let start = clock.now
        try body()
        elapsed += clock.now - start
    }
}
