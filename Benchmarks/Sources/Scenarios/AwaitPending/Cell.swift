/// A cell that one task awaits and another one completes.
protocol Cell: Sendable {
    init()

    /// Completes the cell, from any task.
    func complete(_ value: Int)

    /// Returns the value when there is one.
    func wait() async throws -> Int
}
