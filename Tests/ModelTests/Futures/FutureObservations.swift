/// What a run has shown up to some moment.
struct FutureObservations: RunObservations {
    /// How the futures that are still held have ended, or nil.
    var ends: [Int: End?] = [:]
    /// What each callback got.
    var notes: [Int: [End]] = [:]
    /// In which order the callbacks of one future ran on one context that runs one at a time.
    var orders: [String: [Int]] = [:]
    /// What awaits have got.
    var outcomes: [Int: End] = [:]
    /// What steps have returned.
    var answers: [Int: Bool] = [:]
    /// How often handlers of tokens have run.
    var handlers: [Int: Int] = [:]
    /// The callbacks, handlers and combinators whose closures are still there.
    var held: Set<Int> = []
    var timers = 0
}

extension FutureObservations {
    func difference(from expected: FutureObservations) -> Difference {
        var difference = Difference()
        difference.compare(
            "f", ends.mapValues { $0.map { "\($0)" } ?? "pending" },
            expected.ends.mapValues { $0.map { "\($0)" } ?? "pending" })
        difference.compare("callback ", notes, expected.notes)
        difference.compare("await ", outcomes, expected.outcomes)
        difference.compare("answer of ", answers, expected.answers)
        difference.compare("handler ", handlers, expected.handlers)
        difference.compare("orders", orders, expected.orders)
        difference.compare("closures held", held, expected.held)
        difference.compare("timers", timers, expected.timers)
        return difference
    }
}
