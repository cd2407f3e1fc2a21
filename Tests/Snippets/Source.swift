/// The source generated from a page's code blocks.
///
/// Each code block is preceded by its location in the page, so that errors and `#line` refer to the page.
struct Source {
    /// The page's path in the package.
    let path: String

    /// The page's name as an identifier.
    let name: String

    let blocks: [Block]

    /// Identifies the page's text, as in `DocumentationTests`.
    let checksum: UInt64

    init(path: String, text: String) {
        self.path = path
        checksum = text.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
        name = String(path.split(separator: "/").last!.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        // A file of a tutorial is one code block, whose declarations belong to a step.
        blocks = path.hasSuffix(".md") ? Block.all(in: text) : [Block(step: text, suffix: name)]
    }

    /// The name of the list of examples that claim an output.
    var examples: String { "examplesOf\(name)" }

    var text: String {
        let imports = blocks.filter { $0.kind != .otherLibrary }.flatMap(\.imports).map(String.init)
        return """
            \(Source.header(imports))

            \(blocks.map(compiled).joined(separator: "\n"))
            let \(examples): [Example] = [
            \(blocks.filter { !$0.claims.isEmpty }.map(example).joined(separator: "\n"))
            ]

            """
    }

    /// The imports of a generated file.
    static func header(_ imports: [String]) -> String {
        let modules = ["Foundation", "SimpleFutures", "SimpleFuturesFoundation", "SimpleFuturesInterop"]
        return """
            \(Set(imports + modules.map { "import \($0)" }).sorted().joined(separator: "\n"))
            #if canImport(FoundationNetworking)
            import FoundationNetworking
            #endif
            """
    }

    private func function(_ block: Block) -> String { "line\(block.line)Of\(name)" }

    private func compiled(_ block: Block) -> String {
        // Imports are replaced by blank lines, so that the line numbers stay the same.
        let body = block.lines.map { $0.hasPrefix("import ") ? "" : String($0) }.joined(separator: "\n")
        let code = "#sourceLocation(file: \"\(path)\", line: \(block.line))\n\(body)\n#sourceLocation()"
        switch block.kind {
        case .manifest, .otherLibrary: return ""
        case .declarations: return code
        case .members: return "struct \(function(block).capitalizedFirst) {\n\(code)\n}"
        case .statements:
            let parameter = block.claims.isEmpty ? "" : "_ print: Output"
            let uses = block.names.map { "_ = \($0)" }.joined(separator: "\n")
            return "@Sendable func \(function(block))(\(parameter)) async throws {\n\(code)\n\(uses)\n}"
        }
    }

    private func example(_ block: Block) -> String {
        let claims = block.claims.map { "Output.Line(number: \($0.line), text: #\"\($0.text)\"#)" }
        return """
            Example(page: "\(path)", line: \(block.line), claims: [\(claims.joined(separator: ", "))], run: \(function(block))),
            """
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
