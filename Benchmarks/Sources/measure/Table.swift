import Foundation

/// One line of a table: the first column to the left, the rest to the right, the last to the left again.
func row(_ title: String, _ ours: String, _ peer: String, _ ratio: String, _ spread: String, _ goal: String) -> String {
    let columns = [ours, peer, ratio].map { pad($0, 12, left: true) }.joined()
    return pad(title, 46) + columns + pad(spread, 13, left: true) + "  " + goal
}

/// A number with so many digits behind the point.
func fixed(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
}

private func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return left ? space + text : text + space
}
