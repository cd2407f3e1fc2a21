/// The observations of a run up to some moment.
struct FutureObservations: RunObservations {
    /// How the futures that still have a name have ended, or nil.
    var ends: [Int: End?] = [:]
    /// The calls of each callback.
    var notes: [Int: [End]] = [:]
    /// The order in which the callbacks of one future ran on a serial context.
    var orders: [String: [Int]] = [:]
    /// The results of awaits.
    var outcomes: [Int: End] = [:]
    /// The return values of steps.
    var answers: [Int: Bool] = [:]
    /// How often handlers of tokens have run.
    var handlers: [Int: Int] = [:]
    /// The callbacks, handlers and combinators whose closures still exist.
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
