/// The observations of a run up to some moment.
struct StreamObservations: RunObservations {
    /// How the streams that still have a name have ended, or nil.
    var ends: [Int: End?] = [:]
    /// The replay buffers of the streams that still have a name.
    var kept: [Int: [End]] = [:]
    /// The events of each callback and each loop; for a loop including its end.
    var notes: [Int: [End]] = [:]
    /// The return values of steps.
    var answers: [Int: Bool] = [:]
    /// The callbacks and combinators whose closures still exist.
    var held: Set<Int> = []
    /// How many elements each iterator that still has a name has lost.
    var dropped: [Int: Int] = [:]
    /// The pulls that have ended.
    var pulled: Set<Int> = []
    var timers = 0

    func difference(from expected: StreamObservations) -> Difference {
        var difference = Difference()
        difference.compare(
            "s", ends.mapValues { $0.map { "\($0)" } ?? "open" },
            expected.ends.mapValues { $0.map { "\($0)" } ?? "open" })
        difference.compare("kept by s", kept, expected.kept)
        difference.compare("notes of ", notes, expected.notes)
        difference.compare("answer of ", answers, expected.answers)
        difference.compare("dropped of i", dropped, expected.dropped)
        difference.compare("pulls", pulled, expected.pulled)
        difference.compare("timers", timers, expected.timers)
        difference.compare("closures held", held, expected.held)
        return difference
    }
}
