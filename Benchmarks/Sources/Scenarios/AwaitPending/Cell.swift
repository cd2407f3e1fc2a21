/// Something that one task awaits and another completes.
protocol Cell: Sendable {
    init()

    /// Gives it its value, from any task.
    func complete(_ value: Int)

    /// Returns the value, once there is one.
    func wait() async throws -> Int
}
