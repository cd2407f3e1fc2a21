import Foundation
import SwiftSyntax

/// The doc comment of a function, for its overload.
struct DocComment {
    /// The lines without slashes.
    private(set) var lines: [String] = []

    /// Reads the doc comment right before a declaration.
    init(_ declaration: some SyntaxProtocol) {
        for piece in declaration.leadingTrivia {
            switch piece {
            case .docLineComment(let text):
                let line = text.dropFirst(3)
                lines.append(String(line.hasPrefix(" ") ? line.dropFirst() : line))
            case .docBlockComment(let text): lines = Self.lines(ofBlock: text)
            case .lineComment, .blockComment: lines = []
            case .newlines(let count) where count > 1: lines = []
            default: break
            }
        }
    }

    private static func lines(ofBlock text: String) -> [String] {
        var lines = text.dropFirst(3).dropLast(2)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        let rest = lines.dropFirst().filter { !$0.allSatisfy(\.isWhitespace) }
        // Drops a border of asterisks, or the indentation of the first line; nested lists keep the rest of theirs.
        let isBordered = !rest.isEmpty && rest.allSatisfy { $0.drop(while: \.isWhitespace).hasPrefix("*") }
        let indent = rest.first?.prefix(while: \.isWhitespace).count ?? 0
        for index in lines.indices {
            var line = Substring(lines[index])
            if isBordered || index == 0 {
                line = line.drop(while: \.isWhitespace)
                if line.hasPrefix("*") { line = line.dropFirst() }
                if line.hasPrefix(" ") { line = line.dropFirst() }
            } else {
                line = line.dropFirst(min(indent, line.prefix(while: \.isWhitespace).count))
            }
            lines[index] = String(line)
        }
        while lines.first?.allSatisfy(\.isWhitespace) == true { lines.removeFirst() }
        while lines.last?.allSatisfy(\.isWhitespace) == true { lines.removeLast() }
        return lines
    }

    /// Removes what documents the completion handler and the result, and adds the new ones.
    mutating func adapt(removing names: [String], parameter: String? = nil, returns: String?) {
        guard !lines.isEmpty else { return }
        removeFields { field in
            field.lowercased().hasPrefix("returns:") || names.contains { Self.documents(field, $0) }
        }
        removeEmptyLists()
        removeSentences { sentence in names.contains { sentence.contains("`\($0)`") } }
        while lines.last?.allSatisfy(\.isWhitespace) == true { lines.removeLast() }
        let hasFields = lines.contains { $0.hasPrefix("- ") }
        if parameter != nil || returns != nil, !hasFields { lines.append("") }
        if let parameter { addParameter(parameter) }
        if let returns { lines.append("- Returns: " + returns) }
    }

    private static func documents(_ field: String, _ name: String) -> Bool {
        field.hasPrefix("Parameter \(name):") || field.hasPrefix("parameter \(name):") || field.hasPrefix("\(name):")
            || field.hasPrefix("`\(name)`:")
    }

    /// Removes fields, which are items of a list, with the lines that belong to them.
    private mutating func removeFields(where isRemoved: (String) -> Bool) {
        var kept: [String] = []
        var removedIndent: Int?
        for line in lines {
            let indent = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indent)
            if let removed = removedIndent {
                // In Markdown, an item goes on until a blank line or another block, even without indentation.
                if !text.isEmpty, indent > removed || !Self.beginsBlock(text) { continue }
                removedIndent = nil
            }
            if text.hasPrefix("- "), isRemoved(String(text.dropFirst(2).drop { $0 == " " })) {
                removedIndent = indent
            } else {
                kept.append(line)
            }
        }
        lines = kept
    }

    /// Whether a line begins an item, a heading, code or a quotation, and so ends the paragraph above.
    private static func beginsBlock(_ text: Substring) -> Bool {
        ["- ", "* ", "+ ", "1. ", "#", "```", "~~~", ">"].contains { text.hasPrefix($0) }
    }

    /// Removes "- Parameters:" if nothing follows it.
    private mutating func removeEmptyLists() {
        for index in lines.indices.reversed() where lines[index].lowercased().hasPrefix("- parameters:") {
            let next = index + 1 < lines.count ? lines[index + 1] : ""
            if !next.hasPrefix(" ") { lines.remove(at: index) }
        }
    }

    /// Removes sentences from the paragraphs, except the first of all, which is the summary.
    private mutating func removeSentences(where isRemoved: (String) -> Bool) {
        let paragraphs = lines.split(omittingEmptySubsequences: false) { $0.allSatisfy(\.isWhitespace) }
        var isCode = false
        var kept: [[String]] = []
        for (index, paragraph) in paragraphs.enumerated() {
            let fences = paragraph.count { $0.hasPrefix("```") || $0.hasPrefix("~~~") }
            let isText =
                !isCode && !paragraph.contains { $0.hasPrefix("    ") || Self.beginsBlock($0.drop { $0 == " " }) }
            if !fences.isMultiple(of: 2) { isCode.toggle() }
            let text = paragraph.joined(separator: "\n")
            guard isText, isRemoved(text) else {
                kept.append(Array(paragraph))
                continue
            }
            let rest = text.sentences.enumerated().filter { $0 == 0 && index == 0 || !isRemoved($1) }.map(\.element)
            let left = rest.joined().trimmed
            if !left.isEmpty { kept.append(left.components(separatedBy: "\n")) }
        }
        lines = Array(kept.joined(separator: [""]))
    }

    private mutating func addParameter(_ text: String) {
        guard let list = lines.firstIndex(where: { $0.lowercased().hasPrefix("- parameters:") }) else {
            lines.append("- Parameter " + text)
            return
        }
        var end = list + 1
        while end < lines.count, lines[end].hasPrefix(" ") { end += 1 }
        let indent = list + 1 < end ? String(lines[list + 1].prefix { $0 == " " }) : "  "
        lines.insert(indent + "- " + text, at: end)
    }

    /// The comment with slashes.
    func text(indent: String) -> String {
        lines.map { indent + ($0.isEmpty ? "///" : "/// " + $0) + "\n" }.joined()
    }
}

extension String {
    /// The sentences, with the white space after each.
    fileprivate var sentences: [String] {
        var sentences = [""]
        for character in self {
            let last = sentences[sentences.count - 1]
            let isEnd =
                [". ", ".\n"].contains(where: last.hasSuffix) && !["e.g. ", "i.e. "].contains(where: last.hasSuffix)
            if isEnd, character.isUppercase || character == "`" { sentences.append("") }
            sentences[sentences.count - 1].append(character)
        }
        return sentences
    }
}
