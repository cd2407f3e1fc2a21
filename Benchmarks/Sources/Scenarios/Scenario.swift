/// One thing that is measured, by one implementation.
///
/// The benchmarks, the comparison and the instruction counts all run these same functions.
public struct Scenario: Sendable {
    /// What is measured and whose it is, as in `callback.nio`.
    public let name: String

    /// Does it so many times.
    ///
    /// Whatever has to be made once, an event loop for instance, is made in here, so that the difference between a
    /// short and a long run is the cost of the operations alone.
    public let run: @Sendable (_ count: Int) async throws -> Void

    init(_ name: String, run: @escaping @Sendable (_ count: Int) async throws -> Void) {
        self.name = name
        self.run = run
    }
}
