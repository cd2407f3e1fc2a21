import Foundation
import Scenarios

/// A line of the table: something of ours beside a peer's.
struct Row {
    /// The row of the table of goals it belongs to.
    let number: Int
    let title: String
    let peer: String
    /// With its unit.
    let ours: String
    /// With its unit; empty where there is no peer.
    let theirs: String

    /// What is compared with the goal, if it is a ratio.
    let ratio: Double?
    /// Between which half of the rounds' ratios lie.
    let quartiles: String
    let verdict: Verdict

    init(_ comparison: Comparison, _ times: TimeRatio) {
        number = comparison.row
        title = comparison.title
        peer = comparison.peerName
        ours = "\(fixed(times.ours, 1)) ns"
        theirs = "\(fixed(times.peer, 1)) ns"
        ratio = times.ratio
        quartiles = "\(fixed(times.quartiles.lowerBound, 2))–\(fixed(times.quartiles.upperBound, 2))"
        verdict = Verdict(times.ratio, goal: comparison.goal, limit: comparison.limit)
    }

    init(_ comparison: HeldComparison) {
        let bytes = bytesHeld(comparison.ours)
        let bytesOfPeer = comparison.peer.map(bytesHeld)
        number = comparison.row
        title = comparison.title
        peer = comparison.peerName
        ours = "\(fixed(bytes, 0)) B"
        theirs = bytesOfPeer.map { "\(fixed($0, 0)) B" } ?? ""
        ratio = bytesOfPeer.map { bytes / $0 }
        quartiles = ""
        verdict = Verdict(bytes, goal: comparison.goal.map(Double.init), digits: 0, unit: " B")
    }
}

extension Row {
    private var columns: [String] {
        [ours, theirs, ratioText, quartiles, verdict.text]
    }

    /// The ratio with two digits; what is none of them is not nothing.
    var ratioText: String {
        guard let ratio else { return "" }
        return ratio < 0.005 ? "<0.01" : fixed(ratio, 2)
    }

    /// The columns of a table for a terminal.
    static let heading = aligned(
        "", "time of one operation, or bytes held", "peer", "ours", "peer's", "ratio", "quartiles", "goal")

    /// It as a line for a terminal.
    var line: String {
        let columns = columns
        return Self.aligned(
            "\(number)", title, peer, columns[0], columns[1], columns[2], columns[3], columns[4])
    }

    /// It as a line of a Markdown table: number, title, peer, ours, the peer's, ratio, goal.
    ///
    /// A number and what belongs to it stay on one line of a narrow column.
    var markdown: String {
        let cells = [ours, theirs, ratioText, verdict.text].map {
            $0.replacing(" ", with: "\u{A0}", maxReplacements: 1)
        }
        return "| \(number) | \(title) | \(peer) | \(cells.joined(separator: " | ")) |"
    }

    private static func aligned(
        _ number: String, _ title: String, _ peer: String, _ ours: String, _ theirs: String, _ ratio: String,
        _ quartiles: String, _ goal: String
    ) -> String {
        [
            padded(number, 3, left: true), padded(title, 37), padded(peer, 20), padded(ours, 11, left: true),
            padded(theirs, 12, left: true), padded(ratio, 7, left: true), padded(quartiles, 12, left: true), " " + goal,
        ].joined(separator: " ")
    }

    private static func padded(_ text: String, _ width: Int, left: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return left ? space + text : text + space
    }
}

/// A number with so many digits behind the point.
func fixed(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
}
