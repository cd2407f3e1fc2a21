import Foundation
import Scenarios

/// A line of the table: a SimpleFutures operation compared with a peer's.
struct Row {
    /// The number of the row in the table of goals.
    let number: Int
    let title: String
    let peer: String
    /// The result of SimpleFutures, with its unit.
    let ours: String
    /// The result of the peer, with its unit; empty if there is no peer.
    let theirs: String

    /// The value that is compared with the goal, if that is a ratio.
    let ratio: Double?
    /// The quartiles of the rounds' ratios.
    let quartiles: String
    let verdict: Verdict

    init(_ comparison: Comparison, _ times: TimeRatio) {
        number = comparison.row
        title = comparison.title
        peer = comparison.peerName
        ours = nanoseconds(times.ours)
        theirs = nanoseconds(times.peer)
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

    /// The ratio with two digits; a positive ratio is not shown as zero.
    var ratioText: String {
        guard let ratio else { return "" }
        return ratio < 0.005 ? "<0.01" : fixed(ratio, 2)
    }

    /// The column headings of a table for a terminal.
    static let heading = aligned(
        "", "time of one operation, or bytes held", "peer", "ours", "peer's", "ratio", "quartiles", "goal")

    /// The row as a line for a terminal.
    var line: String {
        let columns = columns
        return Self.aligned(
            "\(number)", title, peer, columns[0], columns[1], columns[2], columns[3], columns[4])
    }

    /// The row as a line of a Markdown table: number, title, peer, ours, the peer's, ratio, goal.
    ///
    /// A number and its unit stay on one line in a narrow column.
    var markdown: String {
        let cells = [ours, theirs, ratioText, verdict.text].map {
            $0.replacing(" ", with: "\u{A0}", maxReplacements: 1)
        }
        let line = "| \(number) | \(title) | \(peer) | \(cells.joined(separator: " | ")) |"
        return line.replacing("MISSED", with: "missed")
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

/// Returns a time with as many digits as mean something.
private func nanoseconds(_ value: Double) -> String { "\(fixed(value, value < 100 ? 1 : 0)) ns" }

/// Returns a number with the given number of decimals.
func fixed(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
}
