import Foundation

/// The ratios as bars, in one picture for light pages and one for dark ones.
///
/// The scale is logarithmic: half and twice the peer's time are at the same distance from it, and a row can be fifty
/// times as fast. A line in each row marks its goal.
struct Chart {
    private let rows: [Row]

    init(_ rows: [Row]) {
        self.rows = rows.filter { $0.ratio != nil }
    }

    /// Writes `PATH.svg` and `PATH~dark.svg`.
    func write(to path: URL) throws {
        for style in [Style.light, .dark] {
            let file = path.deletingLastPathComponent().appendingPathComponent(
                path.lastPathComponent + style.suffix + ".svg")
            try svg(style).write(to: file, atomically: true, encoding: .utf8)
        }
    }

    private static let smallest = 0.01
    private static let largest = 2.0
    private static let left = 430.0
    private static let width = 430.0
    private static let top = 56.0
    private static let height = 22.0

    /// Returns the horizontal position of a ratio.
    private func x(_ ratio: Double) -> Double {
        let ratio = min(max(ratio, Self.smallest), Self.largest)
        return Self.left + Self.width * log(ratio / Self.smallest) / log(Self.largest / Self.smallest)
    }

    private func svg(_ style: Style) -> String {
        let bottom = Self.top + Self.height * Double(rows.count)
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="920" height="\(fixed(bottom + 16, 0))" \
            viewBox="0 0 920 \(fixed(bottom + 16, 0))" \
            font-family="-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13">
            """,
            "<title>Time of one operation as a part of the peer's</title>",
            text(
                "time of one operation as a part of the peer's; shorter is better", at: (16, 22), style.text,
                weight: 600),
            text("goal", at: (880, 22), style.goal, anchor: "end"),
            line((838, 12), (838, 26), style.goal, 3),
        ]
        for ratio in [0.01, 0.05, 0.1, 0.2, 0.5, 1, 2] {
            lines.append(line((x(ratio), Self.top - 6), (x(ratio), bottom), ratio == 1 ? style.text : style.grid, 1))
            lines.append(text("\(ratio.formatted())", at: (x(ratio), Self.top - 12), style.faint, anchor: "middle"))
        }
        for (index, row) in rows.enumerated() { lines += bar(row, Self.top + Self.height * Double(index), style) }
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private func bar(_ row: Row, _ y: Double, _ style: Style) -> [String] {
        guard let ratio = row.ratio else { return [] }
        let end = x(ratio)
        var lines = [
            text("\(row.title) : \(row.peer)", at: (Self.left - 10, y + 15), style.text, anchor: "end"),
            """
            <rect x="\(fixed(Self.left, 1))" y="\(fixed(y + 4, 1))" width="\(fixed(end - Self.left, 1))" \
            height="\(fixed(Self.height - 8, 1))" rx="2" fill="\(style.bar)"/>
            """,
            text(row.ratioText, at: (904, y + 15), style.text, anchor: "end"),
        ]
        if let goal = row.verdict.goal, goal <= Self.largest {
            lines.append(line((x(goal), y + 2), (x(goal), y + Self.height - 2), style.goal, 3))
        }
        return lines
    }

    private func text(
        _ text: String, at point: (Double, Double), _ colour: String, anchor: String = "start", weight: Int = 400
    ) -> String {
        let escaped = text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
        return """
            <text x="\(fixed(point.0, 1))" y="\(fixed(point.1, 1))" fill="\(colour)" text-anchor="\(anchor)" \
            font-weight="\(weight)">\(escaped)</text>
            """
    }

    private func line(_ from: (Double, Double), _ to: (Double, Double), _ colour: String, _ width: Double) -> String {
        """
        <line x1="\(fixed(from.0, 1))" y1="\(fixed(from.1, 1))" x2="\(fixed(to.0, 1))" y2="\(fixed(to.1, 1))" \
        stroke="\(colour)" stroke-width="\(fixed(width, 1))"/>
        """
    }
}

/// The colors for a page.
private struct Style {
    let suffix: String
    let text: String
    let faint: String
    let grid: String
    let bar: String
    let goal: String

    static let light = Style(
        suffix: "", text: "#1d1d1f", faint: "#6e6e73", grid: "#d2d2d7", bar: "#4a90d9", goal: "#d9480f")
    static let dark = Style(
        suffix: "~dark", text: "#f5f5f7", faint: "#a1a1a6", grid: "#48484a", bar: "#5aa2e8", goal: "#ff922b")
}
