import SimpleFutures

/// The state machine of those who wait for their turn.
///
/// It is pure but for the turn, which others change without the lock: each transition returns who is to be woken up.
struct TurnstileQueue<Waiter> {
    private var waiting: [(number: Int, waiter: Waiter)] = []
    private var lastNumber = 0
    private var cancelled: Set<Int> = []

    /// How many are to be woken up, or have been canceled and have yet to hear of it.
    var count: Int { waiting.count + cancelled.count }

    /// A number for somebody who is about to wait.
    mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Whether somebody need not wait: true if it is his turn, false if he was canceled; nil if he must.
    mutating func join(_ waiter: Waiter, _ number: Int, _ turn: _LockedObject) -> Bool? {
        guard cancelled.remove(number) == nil else { return false }
        while !turn.exchange(.taken, for: .contended), !turn.exchange(.contended, for: .contended) {
            if turn.exchange(.free, for: .taken) { return true }
        }
        waiting.append((number, waiter))
        return nil
    }

    /// Cancels somebody who waits, or is about to; returns whom to wake up, with the answer that it is not his turn.
    mutating func cancel(_ number: Int) -> Waiter? {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else {
            cancelled.insert(number)
            return nil
        }
        return waiting.remove(at: index).waiter
    }

    /// A cancellation may have come too late for the queue.
    mutating func forget(_ number: Int) { cancelled.remove(number) }

    /// The next one, whose turn it is; nil if there is none, and the turn is free.
    mutating func next(_ turn: _LockedObject) -> Waiter? {
        guard !waiting.isEmpty else {
            turn.publish(Turn.free.rawValue)
            return nil
        }
        let next = waiting.removeFirst().waiter
        if waiting.isEmpty { turn.publish(Turn.taken.rawValue) }
        return next
    }
}

extension TurnstileQueue: Sendable where Waiter: Sendable {}
