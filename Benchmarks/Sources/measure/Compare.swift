import Scenarios

/// Measures, prints the tables and writes what was asked for; returns whether every goal is met.
func compare(_ options: CompareOptions) async throws -> Bool {
    #if DEBUG
    print("a debug build: these are not the numbers to look at")
    #endif
    var rows: [Row] = []

    print(Row.heading)
    for comparison in Comparison.all where options.includes(comparison.title) {
        let row = Row(comparison, try await TimeRatio(comparison, rounds: options.rounds))
        print(row.line)
        rows.append(row)
    }
    for comparison in HeldComparison.all where options.includes(comparison.title) {
        let row = Row(comparison)
        print(row.line)
        rows.append(row)
    }

    if let page = options.page { try write(table(of: rows), between: "table", into: page) }
    if let picture = options.picture { try Chart(rows).write(to: picture) }
    return rows.allSatisfy(\.verdict.isMet)
}
