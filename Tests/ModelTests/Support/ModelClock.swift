/// The time of the models, in whole seconds.
struct ModelClock {
    private struct Timer {
        let deadline: Int
        let number: Int
        let run: () -> Void
    }

    private var timers: [Timer] = []
    private var created = 0
    private var now = 0

    /// How many timers wait.
    var count: Int { timers.count }

    /// Adds an action for a number of seconds later.
    ///
    /// Returns its number.
    mutating func add(after seconds: Int, _ run: @escaping () -> Void) -> Int {
        created += 1
        timers.append(Timer(deadline: now + seconds, number: created, run: run))
        return created
    }

    mutating func remove(_ number: Int?) { timers.removeAll { $0.number == number } }

    /// Advances the time by one second.
    mutating func pass() { now += 1 }

    /// Removes the next timer that is due.
    mutating func takeDue() -> (() -> Void)? {
        let due = timers.filter { $0.deadline <= now }
        guard let next = due.min(by: { ($0.deadline, $0.number) < ($1.deadline, $1.number) }) else { return nil }
        remove(next.number)
        return next.run
    }
}
