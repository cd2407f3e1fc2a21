/// What a run has shown up to some moment.
struct FutureObservations: Equatable, Sendable {
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
    /// Where it differs from what was expected.
    func difference(from expected: FutureObservations) -> String {
        var lines: [String] = []
        func compare<Value: Equatable>(_ what: String, _ seen: [Int: Value], _ expected: [Int: Value]) {
            for id in Set(seen.keys).union(expected.keys).sorted() where seen[id] != expected[id] {
                lines.append(
                    "  \(what)\(id): \(seen[id].map { "\($0)" } ?? "nothing")"
                        + ", expected \(expected[id].map { "\($0)" } ?? "nothing")")
            }
        }
        compare(
            "f", ends.mapValues { $0.map { "\($0)" } ?? "pending" },
            expected.ends.mapValues { $0.map { "\($0)" } ?? "pending" })
        compare("callback ", notes, expected.notes)
        compare("await ", outcomes, expected.outcomes)
        compare("answer of ", answers, expected.answers)
        compare("handler ", handlers, expected.handlers)
        if orders != expected.orders { lines.append("  orders: \(orders), expected \(expected.orders)") }
        if held != expected.held {
            lines.append("  closures held: \(held.sorted()), expected \(expected.held.sorted())")
        }
        if timers != expected.timers { lines.append("  timers: \(timers), expected \(expected.timers)") }
        return lines.joined(separator: "\n")
    }
}
