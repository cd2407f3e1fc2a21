/// How many bytes of a body have come and were not taken, and so whether the task is suspended.
struct BodyBacklog: Sendable {
    /// How many may wait beside the newest piece.
    static let limit = 65_536

    private var bytes = 0
    private var isSuspended = false

    /// A piece has come; true if the task is to be suspended, before the piece is handed on.
    mutating func add(_ count: Int) -> Bool {
        bytes += count
        guard bytes > count + Self.limit, !isSuspended else { return false }
        isSuspended = true
        return true
    }

    /// Some were taken; true if the task is to be resumed.
    mutating func remove(_ count: Int) -> Bool {
        bytes -= count
        guard bytes == 0, isSuspended else { return false }
        isSuspended = false
        return true
    }
}
