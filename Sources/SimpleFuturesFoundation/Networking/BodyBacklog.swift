/// How many pieces of a body have come and were not emitted, and so whether the task is suspended.
struct BodyBacklog: Sendable {
    private var count = 0
    private var isSuspended = false

    /// A piece has come; true if the task is to be suspended, before the piece is handed on.
    mutating func add() -> Bool {
        count += 1
        guard count > 1, !isSuspended else { return false }
        isSuspended = true
        return true
    }

    /// A piece was emitted; true if the task is to be resumed.
    mutating func remove() -> Bool {
        count -= 1
        guard count == 0, isSuspended else { return false }
        isSuspended = false
        return true
    }
}
