/// What a run has shown up to some moment.
struct StreamObservations: RunObservations {
    /// How the streams that are still held have ended, or nil.
    var ends: [Int: End?] = [:]
    /// What the streams that are still held keep.
    var kept: [Int: [End]] = [:]
    /// What each callback and each loop got; a loop its end too.
    var notes: [Int: [End]] = [:]
    /// What steps have returned.
    var answers: [Int: Bool] = [:]
    /// The callbacks and combinators whose closures are still there.
    var held: Set<Int> = []
    /// How many elements were lost to each iterator that is still held.
    var dropped: [Int: Int] = [:]
    /// The pulls that are over.
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
