/// Questions about the text of a file.
extension String {
    /// Without white space at its ends.
    var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    /// The indentation of one level: that of the first line in braces.
    var indentationUnit: String {
        var outer: Substring = ""
        for line in split(whereSeparator: \.isNewline) {
            let indent = line.prefix { $0 == " " || $0 == "\t" }
            let around = outer.prefix { $0 == " " || $0 == "\t" }
            let unit = indent.dropFirst(around.count)
            if outer.hasSuffix("{"), indent.hasPrefix(around), ["\t", "  ", "   ", "    "].contains(unit) {
                return String(unit)
            }
            outer = line
        }
        return "    "
    }

    /// The text with another indentation than four spaces, in each line after what it begins with.
    func indented(by unit: String, after indent: String) -> String {
        guard unit != "    " else { return self }
        return split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var rest = line.hasPrefix(indent) ? line.dropFirst(indent.count) : line
            var levels = 0
            while rest.hasPrefix("    ") {
                rest = rest.dropFirst(4)
                levels += 1
            }
            return (line.hasPrefix(indent) ? indent : "") + String(repeating: unit, count: levels) + rest
        }
        .joined(separator: "\n")
    }
}
