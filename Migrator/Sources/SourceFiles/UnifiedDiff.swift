/// The lines that change, with three lines around, in the format of `diff -u`.
///
/// Empty if none does.
public func unifiedDiff(path: String, before: String, after: String) -> String {
    guard before != after else { return "" }
    let old = textLines(before)
    let new = textLines(after)
    var output = "--- \(path)\n+++ \(path)\n"
    for hunk in hunks(of: lines(old, new)) {
        let oldCount = hunk.lines.count { $0.kind != .added }
        let newCount = hunk.lines.count { $0.kind != .removed }
        output += "@@ -\(hunk.oldStart),\(oldCount) +\(hunk.newStart),\(newCount) @@\n"
        for line in hunk.lines { output += "\(line.kind.rawValue)\(line.text)\n" }
    }
    return output
}

/// A carriage return and a line feed are one character, so the line feeds are found among the scalars.
private func textLines(_ text: String) -> [Substring] {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Substring($0) }
    // The last line feed ends a line: an empty line after it would keep `patch` from finding the place.
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
}

private struct Line {
    enum Kind: String {
        case kept = " "
        case removed = "-"
        case added = "+"
    }
    var kind: Kind
    var text: Substring
}

private struct Hunk {
    var oldStart: Int
    var newStart: Int
    var lines: [Line]
}

private func lines(_ old: [Substring], _ new: [Substring]) -> [Line] {
    let difference = new.difference(from: old)
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in difference {
        switch change {
        case .remove(let offset, _, _): removed.insert(offset)
        case .insert(let offset, _, _): inserted.insert(offset)
        }
    }
    var lines: [Line] = []
    var oldIndex = 0
    var newIndex = 0
    while oldIndex < old.count || newIndex < new.count {
        if removed.contains(oldIndex) {
            lines.append(Line(kind: .removed, text: old[oldIndex]))
            oldIndex += 1
        } else if inserted.contains(newIndex) {
            lines.append(Line(kind: .added, text: new[newIndex]))
            newIndex += 1
        } else {
            lines.append(Line(kind: .kept, text: old[oldIndex]))
            oldIndex += 1
            newIndex += 1
        }
    }
    return lines
}

private func hunks(of lines: [Line]) -> [Hunk] {
    let context = 3
    let changed = lines.indices.filter { lines[$0].kind != .kept }
    var ranges: [Range<Int>] = []
    for index in changed {
        let range = max(0, index - context)..<min(lines.count, index + context + 1)
        if let last = ranges.last, last.upperBound >= range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
            ranges.append(range)
        }
    }
    return ranges.map { range in
        let earlier = lines[..<range.lowerBound]
        return Hunk(
            oldStart: earlier.count { $0.kind != .added } + 1, newStart: earlier.count { $0.kind != .removed } + 1,
            lines: Array(lines[range]))
    }
}
