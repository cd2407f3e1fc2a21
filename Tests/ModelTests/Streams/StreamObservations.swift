/// What a run has shown up to some moment.
struct StreamObservations: Equatable, Sendable {
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

    /// Where it differs from what was expected.
    func difference(from expected: StreamObservations) -> String {
        var lines: [String] = []
        func compare<Value: Equatable>(_ what: String, _ seen: [Int: Value], _ expected: [Int: Value]) {
            for id in Set(seen.keys).union(expected.keys).sorted() where seen[id] != expected[id] {
                lines.append(
                    "  \(what)\(id): \(seen[id].map { "\($0)" } ?? "nothing")"
                        + ", expected \(expected[id].map { "\($0)" } ?? "nothing")")
            }
        }
        compare(
            "s", ends.mapValues { $0.map { "\($0)" } ?? "open" },
            expected.ends.mapValues { $0.map { "\($0)" } ?? "open" })
        compare("kept by s", kept, expected.kept)
        compare("notes of ", notes, expected.notes)
        compare("answer of ", answers, expected.answers)
        compare("dropped of i", dropped, expected.dropped)
        if pulled != expected.pulled { lines.append("  pulls: \(pulled), expected \(expected.pulled)") }
        if timers != expected.timers { lines.append("  timers: \(timers), expected \(expected.timers)") }
        if held != expected.held {
            lines.append("  closures held: \(held.sorted()), expected \(expected.held.sorted())")
        }
        return lines.joined(separator: "\n")
    }
}
