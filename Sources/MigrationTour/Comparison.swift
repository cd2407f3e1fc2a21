import Foundation

/// What one stage made of the files, and how long it took.
struct StageOutcome: Sendable {
    let title: String
    let rows: [Row]
    let time: Duration

    var timing: String {
        let (seconds, attoseconds) = time.components
        return "\(title): \(String(format: "%.3f", Double(seconds) + Double(attoseconds) / 1e18)) s"
    }
}

/// The stages' tables, compared row by row.
struct Comparison {
    let outcomes: [StageOutcome]

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
