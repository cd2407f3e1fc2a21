import SimpleFutures

/// The state machine of the tasks that wait for the mutex.
///
/// It is pure except for the status byte, which other threads change without the lock. Each transition returns the
/// waiter to resume.
struct TurnstileQueue<Waiter> {
    private var waiting: [(number: Int, waiter: Waiter)] = []
    private var lastNumber = 0
    private var cancelled: Set<Int> = []

    /// The number of waiters, and of canceled tasks that have not joined yet.
    var count: Int { waiting.count + cancelled.count }

    /// Returns a number for a task that is about to wait.
    mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Adds a waiter, or returns at once: true if it may enter, false if it was canceled.
    mutating func join(_ waiter: Waiter, _ number: Int, _ turn: _LockedObject) -> Bool? {
        guard cancelled.remove(number) == nil else { return false }
        while !turn.exchange(.taken, for: .contended), !turn.exchange(.contended, for: .contended) {
            if turn.exchange(.free, for: .taken) { return true }
        }
        waiting.append((number, waiter))
        return nil
    }

    /// Cancels a task that waits or is about to.
    ///
    /// Returns the waiter to resume with false.
    mutating func cancel(_ number: Int) -> Waiter? {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else {
            cancelled.insert(number)
            return nil
        }
        return waiting.remove(at: index).waiter
    }

    /// Removes a cancellation that came too late.
    mutating func forget(_ number: Int) { cancelled.remove(number) }

    /// Returns the next waiter, which may enter; nil if there is none, and the mutex is free.
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
