import Foundation

/// The rows of one stage, and how long it took.
struct Outcome: Sendable {
    let stage: Stage
    let rows: [Row]
    let time: Duration
}

/// The text of the default run: a few lines per stage, then the comparison.
enum Overview {
    static func introduction(_ files: [InputFile]) -> String {
        let number = "\(files.count) file\(files.count == 1 ? "" : "s")"
        return "The job: count the lines, words and bytes of \(number), and check the bytes with cksum.\n"
    }

    /// The stage's file, lines of code and time, what is gone, and what cancels it.
    static func lines(for outcome: Outcome) -> [String] {
        let stage = outcome.stage
        var heading = "Stage \(stage.rawValue)   \(stage.fileName.padded(to: 24))"
        if let count = lineCounts?[stage] { heading += "\(count) lines of code".padded(to: 20) }
        var details = [stage.change, ("timeout", stage.timeout), ("Ctrl-C", stage.interrupt)]
        if stage == .structured, let count = SourceLines.count(in: "Legacy/LegacyAPI+Async.swift") {
            details.append(("needs", "async overloads of the API: \(count) lines in Legacy/LegacyAPI+Async.swift"))
        }
        return [heading + outcome.time.inMilliseconds]
            + details.map { "  \($0.0.padded(to: 9))\($0.1)" } + [""]
    }

    /// Whether all results are identical, and the first errors and differences.
    ///
    /// After the table, which has the errors, all differences.
    static func conclusion(_ comparison: Comparison, afterTable: Bool) -> [String] {
        let rows = comparison.rows
        let totals = rows.totalCounts
        let verdict =
            comparison.differences.isEmpty
            ? """
            All \(comparison.outcomes.count) results are identical: \(rows.summary), \
            \(totals.lines) lines, \(totals.words) words, \(totals.bytes) bytes.
            """
            : "The results differ. A file changed during the run, or took about as long as --timeout."
        if afterTable { return [verdict] + comparison.differences }
        return excerpt(rows.errors.map { "error: \($0.cells[4])" }) + [verdict] + excerpt(comparison.differences)
    }

    /// The work that an interrupted run has done.
    static func interruption(of outcome: Outcome) -> String {
        let canceled = outcome.rows.count { $0.result == .failure(.cancelled) }
        return """
            Stage \(outcome.stage.rawValue) was interrupted after \(outcome.time.inMilliseconds): \
            \(canceled) of \(outcome.rows.count) files canceled.
            """
    }

    // The stages' lines of code, or nil if one of them can't be counted.
    private static let lineCounts: [Stage: Int]? = {
        let counts = Stage.allCases.map { ($0, SourceLines.count(in: $0.fileName)) }
        guard counts.allSatisfy({ $0.1 != nil }) else { return nil }
        return Dictionary(uniqueKeysWithValues: counts.map { ($0.0, $0.1 ?? 0) })
    }()

    private static func excerpt(_ lines: [String]) -> [String] {
        let limit = 8
        guard lines.count > limit else { return lines }
        return lines.prefix(limit) + ["… and \(lines.count - limit) more; --table shows all"]
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

extension Duration {
    fileprivate var inMilliseconds: String {
        let (seconds, attoseconds) = components
        return "\(seconds * 1000 + attoseconds / (1_000_000_000_000_000 as Int64)) ms"
    }
}
