import Foundation

/// The source generated from the examples in the doc comments of a source file.
///
/// Each example is the body of a method, so that all of them may declare the same names.
struct Comments {
    /// The source file's path in the package.
    let path: String

    let blocks: [Block]

    init(path: String, text: String) {
        self.path = path
        blocks = Block.all(inCommentsOf: text)
    }

    /// The generated file for all source files.
    static func text(_ all: [Comments]) -> String {
        let header = Source.header(["import Observation", "import Testing"])
        return header + "\n" + all.flatMap { comments in comments.blocks.map(comments.compiled) }.joined()
    }

    private func compiled(_ block: Block) -> String {
        // An ellipsis in code stands for what the reader writes there.
        let body = block.lines
            .map { $0.contains("//") ? String($0) : $0.replacingOccurrences(of: "…", with: "()") }
            .joined(separator: "\n")
        let code = "#sourceLocation(file: \"\(path)\", line: \(block.line))\n\(body)\n#sourceLocation()"
        // An extension cannot be in a function.
        if body.hasPrefix("extension") { return code + "\n" }
        let type = body.contains("self.") || body.contains("self?") ? "YourModel" : "YourCode"
        let name = String(path.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        return """
            extension \(type) {
            @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
            @MainActor func line\(block.line)Of\(name)() async throws {
            \(code)
            \(block.names.map { "_ = \($0)" }.joined(separator: "\n"))
            }
            }

            """
    }
}

extension Block {
    /// All examples in the doc comments of a source file: lines with four more spaces, after an empty line.
    static func all(inCommentsOf source: String) -> [Block] {
        var blocks: [Block] = []
        var open: (line: Int, lines: [Substring])?
        var followsEmptyLine = false
        for (number, text) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let text = text.drop { $0 == " " }
            let comment = text.hasPrefix("///") ? text.dropFirst(3) : nil
            if let comment, comment.hasPrefix("     "), open != nil || followsEmptyLine {
                open = (open?.line ?? number + 1, (open?.lines ?? []) + [comment.dropFirst(5)])
            } else if comment?.isEmpty == true {
                open?.lines.append("")
            } else if let (line, lines) = open {
                let code = Array(lines.prefix { !isDiagram($0) })
                if !code.isEmpty, !code.contains(where: isElsewhere) {
                    blocks.append(Block(line: line, lines: code, kind: .statements))
                }
                open = nil
            }
            followsEmptyLine = comment?.isEmpty == true
        }
        return blocks
    }

    /// Whether a line belongs to a picture of a stream or of the states of an object, and not to the code above it.
    private static func isDiagram(_ line: Substring) -> Bool { line.hasSuffix("|") || line.contains("►") }

    /// Whether a line needs a system or a library that these tests don't have.
    private static func isElsewhere(_ line: Substring) -> Bool {
        ["Logger(", "signposter", "UIResponder", "@retroactive"].contains { line.contains($0) }
    }
}
