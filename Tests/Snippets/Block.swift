import Foundation

/// A Swift block of a page of documentation.
struct Block {
    /// What a line says that it prints, by `// prints: …` at its end, or `// prints: … and then …`.
    struct Claim {
        var line: Int
        var text: String
    }

    /// How a block is compiled.
    enum Kind {
        /// As it is: it begins with a declaration, and other blocks may use what it declares.
        case declarations

        /// As the members of a type: it begins with `// Step`, and several may declare the same.
        case members

        /// As the body of an asynchronous function: all others, and what claims an output.
        case statements

        /// Not at all: it is a part of a manifest.
        case manifest

        /// Not here: it imports a library that this package doesn't depend on. `Benchmarks/Tests/BridgesTests` compiles the blocks
        /// for SwiftNIO and Combine.
        case otherLibrary
    }

    /// The number of its first line in the page.
    let line: Int

    /// Its lines, without those of the fence.
    let lines: [Substring]

    let kind: Kind

    init(line: Int, lines: [Substring], kind: Kind? = nil) {
        self.line = line
        self.lines = lines
        self.kind = kind ?? Block.kind(of: lines)
    }

    /// A file of a tutorial, whose types are those of its other steps: they get a suffix.
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
        "RxSwift",
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

    /// What its outermost statements declare and nothing may use: of that the compiler warns, and a reader does not
    /// care.
    var names: [Substring] {
        lines.compactMap { line in
            guard line.hasPrefix("let ") || line.hasPrefix("var ") else { return nil }
            let name = line.dropFirst(4).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            return name.isEmpty ? nil : name
        }
    }

    /// All blocks of a page.
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
