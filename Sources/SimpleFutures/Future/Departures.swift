/// Observers that leave the thread that delivers: in the order of registration, handed over by one thread at a time.
struct Departures {
    enum Kind {
        case queued, foreign
    }

    var list = LinkedList<Observer>()
    /// Whether a thread hands them over.
    var isBusy = false
    /// Counts the threads that have begun to.
    private(set) var turn: UInt32 = 0

    /// False when a thread hands over already, and will find what was added.
    mutating func begin() -> Bool {
        guard !isBusy else { return false }
        isBusy = true
        turn &+= 1
        return true
    }
}
