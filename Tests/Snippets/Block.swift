import Foundation

/// A Swift code block of a documentation page, or an example in a doc comment.
struct Block {
    /// The expected output of a line, given by `// prints: …` at its end, or `// prints: … and then …`.
    struct Claim {
        var line: Int
        var text: String
    }

    /// How a code block is compiled.
    enum Kind {
        /// At file scope: it begins with a declaration, and other code blocks may use its declarations.
        case declarations

        /// As members of a type: it begins with `// Step`, and several may declare the same names.
        case members

        /// As the body of an asynchronous function: all other code blocks, and those with a claimed output.
        case statements

        /// Not compiled: it is part of a manifest.
        case manifest

        /// Not here: it imports a library that this package doesn't depend on. `Benchmarks/Tests/BridgesTests` compiles the blocks
        /// for SwiftNIO and Combine, and `.ci/client.swift` has the block for WebKit.
        case otherLibrary
    }

    /// The line number of its first line in the page.
    let line: Int

    /// Its lines without the fence.
    let lines: [Substring]

    let kind: Kind

    init(line: Int, lines: [Substring], kind: Kind? = nil) {
        self.line = line
        self.lines = lines
        self.kind = kind ?? Block.kind(of: lines)
    }

    /// Creates a code block from a file of a tutorial.
    ///
    /// Its types get a suffix, because other steps declare the same types.
    init(step: String, suffix: String) {
        let words = step.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let types = zip(words, words.dropFirst()).filter { Block.typeKeywords.contains($0.0) }.map(\.1)
        let text = types.reduce(step) { text, type in
            text.replacingOccurrences(of: "\\b\(type)\\b", with: "\(type)_\(suffix)", options: .regularExpression)
        }
        self.init(line: 1, lines: text.split(separator: "\n", omittingEmptySubsequences: false), kind: .declarations)
    }

    private static let mark = "// prints: "
    private static let otherLibraries: Set<Substring> = [
        "BlueCapKit", "BrightFutures", "Combine", "Future", "NIOCore", "PromiseKit", "Promises", "ReactiveSwift",
        "RxSwift", "WebKit",
    ]
    private static let typeKeywords: Set<Substring> = ["struct", "class", "enum", "actor", "protocol"]

    private static func kind(of lines: [Substring]) -> Kind {
        guard let first = lines.first else { return .statements }
        if first.hasPrefix("// in Package.swift") { return .manifest }
        if first.hasPrefix("// Step") { return .members }
        let imported = lines.filter { $0.contains("import ") }.flatMap { $0.split { $0 == " " || $0 == "." } }
        if !otherLibraries.isDisjoint(with: imported) { return .otherLibrary }
        // To be run.
        if lines.contains(where: { $0.contains(mark) }) { return .statements }
        let code = lines.first { !$0.hasPrefix("//") && !$0.hasPrefix("import ") && !$0.isEmpty } ?? ""
        let words = code.split(separator: " ").drop { $0.hasPrefix("@") || $0 == "final" || $0 == "nonisolated" }
        let keywords = typeKeywords.union(["func", "extension"])
        return words.first.map(keywords.contains) == true ? .declarations : .statements
    }

    var imports: [Substring] { lines.filter { $0.hasPrefix("import ") } }

    var claims: [Claim] {
        lines.enumerated().flatMap { offset, text in
            guard let mark = text.range(of: Block.mark) else { return [] as [Claim] }
            return text[mark.upperBound...].components(separatedBy: " and then ").map {
                Claim(line: line + offset, text: $0)
            }
        }
    }

    /// The names that its outermost statements declare.
    ///
    /// They may be unused, which the compiler warns about, but readers do not mind.
    var names: [Substring] {
        lines.filter { $0.hasPrefix("let ") || $0.hasPrefix("var ") }.flatMap { line in
            let names = line.dropFirst(4).prefix { $0 != "=" && $0 != ":" }
            return names.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.filter { $0 != "_" }
        }
    }

    /// All Swift code blocks of a page.
    static func all(in page: String) -> [Block] {
        var blocks: [Block] = []
        var open: (line: Int, lines: [Substring])?
        for (number, text) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if text == "```swift" {
                open = (number + 2, [])
            } else if text == "```", let (line, lines) = open {
                blocks.append(Block(line: line, lines: lines))
                open = nil
            } else {
                open?.lines.append(text)
            }
        }
        return blocks
    }
}
