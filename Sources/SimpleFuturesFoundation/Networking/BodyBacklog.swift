/// Counts the unread bytes of a body, and decides whether the task is suspended.
struct BodyBacklog: Sendable {
    /// How many bytes may wait besides the newest piece.
    static let limit = 65_536

    private var bytes = 0
    private var isSuspended = false

    /// Adds a piece.
    ///
    /// Returns true if the task must be suspended, before the piece is passed on.
    mutating func add(_ count: Int) -> Bool {
        bytes += count
        guard bytes > count + Self.limit, !isSuspended else { return false }
        isSuspended = true
        return true
    }

    /// Removes bytes that were read.
    ///
    /// Returns true if the task must be resumed.
    mutating func remove(_ count: Int) -> Bool {
        bytes -= count
        guard bytes == 0, isSuspended else { return false }
        isSuspended = false
        return true
    }
}
