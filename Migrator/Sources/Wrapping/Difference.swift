extension WrappedFile {
    /// The change, as `diff -u` shows it, with three lines around.
    public var difference: String {
        let old = lines(of: oldText)
        let new = lines(of: text)
        let change = new.difference(from: old)
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for step in change {
            switch step {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var lines: [(text: String, isChange: Bool, newLine: Int)] = []
        var (oldIndex, newIndex) = (0, 0)
        while oldIndex < old.count || newIndex < new.count {
            if removed.contains(oldIndex) {
                lines.append(("-" + old[oldIndex], true, newIndex + 1))
                oldIndex += 1
            } else if inserted.contains(newIndex) {
                lines.append(("+" + new[newIndex], true, newIndex + 1))
                newIndex += 1
            } else {
                lines.append((" " + new[newIndex], false, newIndex + 1))
                oldIndex += 1
                newIndex += 1
            }
        }
        return hunks(of: lines)
    }

    /// A carriage return and a line feed are one character, so the line feeds are found among the scalars.
    private func lines(of text: String) -> [Substring] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Substring($0) }
    }

    private func hunks(of lines: [(text: String, isChange: Bool, newLine: Int)]) -> String {
        var shown: Set<Int> = []
        for (index, line) in lines.enumerated() where line.isChange {
            for near in max(0, index - 3)...min(lines.count - 1, index + 3) { shown.insert(near) }
        }
        var text = "--- \(path)\n+++ \(path)\n"
        var last: Int?
        for index in shown.sorted() {
            if last != index - 1 { text += "@@ line \(lines[index].newLine) @@\n" }
            text += lines[index].text + "\n"
            last = index
        }
        return text
    }
}
