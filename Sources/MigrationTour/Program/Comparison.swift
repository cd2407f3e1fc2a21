/// The rows of all stages, compared file by file.
struct Comparison {
    /// At least one.
    let outcomes: [Outcome]

    /// The rows of stage 1, which the other stages must have, too.
    var rows: [Row] { outcomes[0].rows }

    /// One line per stage for each file whose rows differ; empty if all results are identical.
    var differences: [String] {
        let longest = outcomes.map(\.rows.count).max() ?? 0
        return (0..<longest).flatMap { index in
            let rows = outcomes.map { $0.rows.indices.contains(index) ? $0.rows[index] : nil }
            guard rows.contains(where: { $0 != rows[0] }) else { return [String]() }
            return zip(outcomes, rows).map { outcome, row in
                "stage \(outcome.stage.rawValue): \(row?.cells.joined(separator: "  ") ?? "no row \(index + 1)")"
            }
        }
    }
}
