import SourceFiles
import SwiftSyntax

extension Porter {
    /// Whether a file uses the library.
    func takes(_ file: SourceFile) -> Bool {
        assumesImport || !imports(file).isEmpty || conditionalImport(file) != nil
    }

    /// The imports of the library and its extensions.
    func imports(_ file: SourceFile) -> [ImportDeclSyntax] {
        file.imports.filter { library.has($0.path.first?.name.text ?? "") }
    }

    /// The `#if` with an import of the library.
    private func conditionalImport(_ file: SourceFile) -> IfConfigDeclSyntax? {
        file.tree.statements.lazy.compactMap { $0.item.as(IfConfigDeclSyntax.self) }.first { condition in
            let lines = condition.description.split(whereSeparator: \.isNewline)
            return library.modules.contains { module in lines.contains { $0.hasSuffix("import \(module)") } }
        }
    }

    /// Replaces the import, or adds ours while calls of the library are left.
    func importEdits(usesInterop: Bool, keepsLibrary: Bool, _ file: SourceFile) -> [Edit] {
        let present = Set(file.imports.map { $0.path.first?.name.text })
        var modules = library.replacement
        if usesInterop, !modules.contains("SimpleFuturesInterop") { modules.append("SimpleFuturesInterop") }
        let lines = modules.filter { !present.contains($0) }.map { "import \($0)" }
        let text = lines.joined(separator: "\n")
        let imports = imports(file)
        guard let first = imports.first else { return lines.isEmpty ? [] : [adding(text, to: file)] }
        if keepsLibrary { return lines.isEmpty ? [] : [Edit(inserting: "\n" + text, at: first.endOfLine)] }
        let removed = lines.isEmpty ? imports[...] : imports.dropFirst()
        let edits = removed.map { file.removingLine(of: $0) }
        return lines.isEmpty ? edits : [Edit(replacing: first, with: text)] + edits
    }

    /// Adds imports to a file that imports the library only in an `#if`, or not itself.
    private func adding(_ text: String, to file: SourceFile) -> Edit {
        let condition = conditionalImport(file).map { Syntax($0) }
        let last = file.imports.last.map { Syntax($0) }
        let present = [condition, last].compactMap { $0 }.max { $0.position < $1.position }
        if let present { return Edit(inserting: "\n" + text, at: present.endOfLine) }
        // The comments at the top of the file end with an empty line; others belong to what follows.
        var offset = 0
        for piece in file.tree.statements.first?.leadingTrivia.pieces ?? [] {
            offset += piece.sourceLength.utf8Length
            if case .newlines(let count) = piece, count > 1 { return Edit(offset..<offset, text + "\n\n") }
        }
        return Edit(0..<0, text + "\n\n")
    }
}

extension SourceFile {
    /// The imports outside of `#if`.
    fileprivate var imports: [ImportDeclSyntax] {
        tree.statements.compactMap { $0.item.as(ImportDeclSyntax.self) }
    }

    /// Removes an import, and its line unless a comment stands there too.
    fileprivate func removingLine(of node: ImportDeclSyntax) -> Edit {
        let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = node.endPositionBeforeTrailingTrivia.utf8Offset
        let isLine = text.utf8.dropFirst(end).first == 0x0A
        return Edit(start..<(isLine ? end + 1 : end), "")
    }
}

extension SyntaxProtocol {
    /// The end of the node, with the comment that follows in its line.
    fileprivate var endOfLine: AbsolutePosition {
        trailingTrivia.hasComment ? endPosition : endPositionBeforeTrailingTrivia
    }
}
