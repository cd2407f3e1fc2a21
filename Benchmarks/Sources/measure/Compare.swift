import Scenarios

/// Measures, prints the tables and writes the requested files; returns whether every row is within its limit.
func compare(_ options: CompareOptions) async throws -> Bool {
    #if DEBUG
    print("a debug build: these are not the numbers to look at")
    #endif
    var rows: [Row] = []

    print(Row.heading)
    for comparison in Comparison.all where options.includes(comparison.title) {
        var row = Row(comparison, try await TimeRatio(comparison, rounds: options.rounds))
        print(row.line)
        // Other load on the machine can make a ratio worse by chance; a regression shows up each time.
        for _ in 1...2 where options.check && !row.verdict.isHeld {
            row = Row(comparison, try await TimeRatio(comparison, rounds: options.rounds))
            print(row.line)
        }
        rows.append(row)
    }
    for comparison in HeldComparison.all where options.includes(comparison.title) {
        let row = Row(comparison)
        print(row.line)
        rows.append(row)
    }

    rows.sort { $0.number < $1.number }
    if let page = options.page { try write(table(of: rows), between: "table", into: page) }
    if let picture = options.picture { try Chart(rows).write(to: picture) }
    for row in rows where options.check && !row.verdict.isHeld { print("a step back: \(row.title), \(row.peer)") }
    return rows.allSatisfy(\.verdict.isHeld)
}
