import SimpleFutures

/// The state machine of the tasks that wait for the mutex.
///
/// It is pure except for the status byte, which other threads change without the lock. Each transition returns the
/// waiter to resume.
struct TurnstileQueue<Waiter> {
    /// A waiter and its neighbors in the queue.
    struct Place {
        fileprivate let waiter: Waiter
        fileprivate var previous: Int?
        fileprivate var next: Int?
    }

    // A linked list by number, because a waiter can be canceled at any place.
    private var waiting: [Int: Place] = [:]
    private var first: Int?
    private var last: Int?
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
        append(waiter, number)
        return nil
    }

    /// Cancels a task that waits or is about to.
    ///
    /// Returns the waiter to resume with false.
    mutating func cancel(_ number: Int) -> Waiter? {
        if let waiter = remove(number) { return waiter }
        cancelled.insert(number)
        return nil
    }

    /// Removes a cancellation that came too late.
    mutating func forget(_ number: Int) { cancelled.remove(number) }

    /// Returns the next waiter, which may enter; nil if there is none, and the mutex is free.
    mutating func next(_ turn: _LockedObject) -> Waiter? {
        guard let first, let next = remove(first) else {
            turn.publish(Turn.free.rawValue)
            return nil
        }
        if waiting.isEmpty { turn.publish(Turn.taken.rawValue) }
        return next
    }

    private mutating func append(_ waiter: Waiter, _ number: Int) {
        waiting[number] = Place(waiter: waiter, previous: last)
        if let last { waiting[last]?.next = number } else { first = number }
        last = number
    }

    private mutating func remove(_ number: Int) -> Waiter? {
        guard let place = waiting.removeValue(forKey: number) else { return nil }
        if let previous = place.previous { waiting[previous]?.next = place.next } else { first = place.next }
        if let next = place.next { waiting[next]?.previous = place.previous } else { last = place.previous }
        return place.waiter
    }
}

extension TurnstileQueue: Sendable where Waiter: Sendable {}
extension TurnstileQueue.Place: Sendable where Waiter: Sendable {}
