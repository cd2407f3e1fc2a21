import Scenarios

/// Prints the tables; returns whether every goal in them is met.
func compare(_ options: CompareOptions) async throws -> Bool {
    #if DEBUG
    print("a debug build: these are not the numbers to look at")
    #endif
    var met = true

    print(row("time per operation, medians of \(options.rounds) rounds", "ours", "peer", "ratio", "quartiles", "goal"))
    for comparison in Comparison.all where options.includes(comparison.title) {
        let times = try await TimeRatio(comparison, rounds: options.rounds)
        let verdict = Verdict(times.ratio, goal: comparison.goal)
        met = met && verdict.isMet
        print(
            row(
                comparison.title,
                "\(fixed(times.ours, 1)) ns",
                "\(fixed(times.peer, 1)) ns",
                fixed(times.ratio, 2),
                "\(fixed(times.quartiles.lowerBound, 2))–\(fixed(times.quartiles.upperBound, 2))",
                verdict.text
            )
        )
    }

    print()
    print(row("bytes held", "ours", "peer", "ratio", "", "goal"))
    for comparison in HeldComparison.all where options.includes(comparison.title) {
        let ours = bytesHeld(comparison.ours)
        let peer = comparison.peer.map(bytesHeld)
        let verdict = Verdict(ours, goal: comparison.goal.map(Double.init), digits: 0)
        met = met && verdict.isMet
        print(
            row(
                comparison.title,
                "\(fixed(ours, 1)) B",
                peer.map { "\(fixed($0, 1)) B" } ?? "",
                peer.map { fixed(ours / $0, 2) } ?? "",
                "",
                verdict.text
            )
        )
    }
    return met
}
