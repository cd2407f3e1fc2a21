import SourceFiles
import SwiftSyntax

/// The lines that are added to a file, and the indentation around them.
struct Lines {
    private(set) var edits: [Edit] = []
    private let file: SourceFile
    private let unit: String
    /// The members that stand in lines of their own now.
    private var spread: Set<SyntaxIdentifier> = []

    /// No new lines for a file.
    init(_ file: SourceFile, unit: String) {
        (self.file, self.unit) = (file, unit)
    }

    /// The indentation of a declaration, also if its type stands in one line and gets several.
    func indent(of node: some SyntaxProtocol, in containers: ArraySlice<Container>) -> String {
        if let container = containers.last, let brace = container.memberBlock?.leftBrace,
            line(of: brace.positionAfterSkippingLeadingTrivia) == line(of: node.positionAfterSkippingLeadingTrivia)
        {
            return indent(of: container.node, in: containers.dropLast()) + unit
        }
        let column = file.converter.location(for: node.positionAfterSkippingLeadingTrivia).column
        let end = node.positionAfterSkippingLeadingTrivia.utf8Offset
        let start = end - (column - 1)
        let before = Array(file.text.utf8)[start..<end].prefix { $0 == 0x20 || $0 == 0x09 }
        return String(decoding: before, as: UTF8.self)
    }

    /// After a declaration, and after the comment in its last line.
    mutating func insert(_ text: String, after node: some SyntaxProtocol) {
        var offset = node.endPositionBeforeTrailingTrivia.utf8Offset
        let rest = file.text.utf8.dropFirst(offset).prefix { $0 != 0x0A }
        let line = String(decoding: rest, as: UTF8.self).trimmed
        let start = offset + rest.count + 1
        // A line may end with a carriage return and a line feed.
        let length = rest.last == 0x0D ? rest.count - 1 : rest.count
        let isLast = line.hasPrefix("//") || line.isEmpty
        if isLast { offset += length }
        // A blank line to what follows, unless there is one, or the end of the container.
        let next = String(
            decoding: file.text.utf8.dropFirst(isLast ? start : offset).prefix { $0 != 0x0A }, as: UTF8.self
        ).trimmed
        let ending = next.isEmpty || next.hasPrefix("}") || next.hasPrefix("#e") ? "" : "\n"
        // Two texts after one declaration share the blank line after them.
        if let present = edits.firstIndex(where: { $0.range == offset..<offset }) {
            edits[present].text = edits[present].text.dropLast(ending.count) + text + ending
        } else {
            edits.append(Edit(offset..<offset, text + ending))
        }
    }

    /// Puts the members of types that stand in one line into lines of their own, and what follows a member in its line.
    mutating func spread(_ containers: [Container], around node: FunctionDeclSyntax) {
        for (index, container) in containers.enumerated() {
            guard let block = container.memberBlock else { continue }
            let outer = indent(of: container.node, in: containers[..<index])
            let isInLine =
                line(of: block.leftBrace.positionAfterSkippingLeadingTrivia)
                == line(of: block.rightBrace.positionAfterSkippingLeadingTrivia)
            if isInLine, let first = block.members.first {
                separate(block.leftBrace, from: first, indent: outer + unit)
            }
            let members = Array(block.members)
            for (member, next) in zip(members, members.dropFirst())
            where isInLine || member.decl.id == DeclSyntax(node).id {
                separate(
                    member.decl, from: next, indent: isInLine ? outer + unit : indent(of: member, in: containers[...]))
            }
            if isInLine, let last = members.last { separate(last.decl, from: block.rightBrace, indent: outer) }
        }
    }

    /// Ends the line after a node, if another stands in it.
    private mutating func separate(_ node: some SyntaxProtocol, from next: some SyntaxProtocol, indent: String) {
        let start = node.endPositionBeforeTrailingTrivia
        let end = next.positionAfterSkippingLeadingTrivia
        guard line(of: start) == line(of: end), spread.insert(Syntax(next).id).inserted else { return }
        let between = file.text.utf8.dropFirst(start.utf8Offset).prefix(end.utf8Offset - start.utf8Offset)
        guard between.allSatisfy({ [0x20, 0x09, 0x3B].contains($0) }) else { return }
        edits.append(Edit(start.utf8Offset..<end.utf8Offset, "\n" + indent))
    }

    private func line(of position: AbsolutePosition) -> Int { file.converter.location(for: position).line }
}

extension Container {
    /// The braces and what stands in them.
    fileprivate var memberBlock: MemberBlockSyntax? { node.asProtocol((any DeclGroupSyntax).self)?.memberBlock }
}
