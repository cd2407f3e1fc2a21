import Foundation

/// What one run made of the files, and how long it took.
struct Outcome: Sendable {
    let title: String
    let rows: [Row]
    let time: Duration

    fileprivate var timing: String {
        let (seconds, attoseconds) = time.components
        return "\(title): \(String(format: "%.3f", Double(seconds) + Double(attoseconds) / 1e18)) s"
    }
}

/// The tables of several runs, of which there is at least one, compared row by row.
struct Comparison {
    let outcomes: [Outcome]

    /// The first table, with which the others are compared.
    var report: Report { Report(rows: outcomes[0].rows) }

    /// What there is to say: the table, how long each run took, and whether all tables are identical.
    var lines: [String] {
        let differences = differences
        let verdict =
            differences.isEmpty
            ? "All \(outcomes.count) tables are identical."
            : "The tables differ. A file may have changed meanwhile, or needed just about --timeout."
        return report.lines + [""] + outcomes.map(\.timing) + [verdict] + differences
    }

    /// Lines that say which rows differ, and how; empty if all tables are identical.
    var differences: [String] {
        let longest = outcomes.map(\.rows.count).max() ?? 0
        return (0..<longest).flatMap { index in
            let rows = outcomes.map { $0.rows.indices.contains(index) ? $0.rows[index] : nil }
            guard rows.contains(where: { $0 != rows[0] }) else { return [String]() }
            return ["row \(index + 1):"]
                + zip(outcomes, rows).map { outcome, row in
                    "  \(outcome.title): \(row?.cells.joined(separator: "  ") ?? "missing")"
                }
        }
    }
}
