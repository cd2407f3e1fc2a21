import SourceFiles
import SwiftSyntax

/// The imports of a file.
struct Imports {
    private let imports: [ImportDeclSyntax]
    private let tree: SourceFileSyntax

    init(_ file: SourceFile) {
        tree = file.tree
        imports = file.tree.statements.compactMap { $0.item.as(ImportDeclSyntax.self) }
    }

    /// Adds the modules that aren't imported.
    ///
    /// - Parameter isPublic: Whether public functions mention them. Then the import is public, if the file's others say.
    func edit(adding modules: Set<String>, isPublic: Bool) -> Edit? {
        let present = Set(imports.map(\.path.trimmedDescription))
        let missing = modules.subtracting(present).sorted()
        guard !missing.isEmpty else { return nil }
        let saysAccess = imports.contains { !$0.modifiers.isEmpty }
        let prefix = saysAccess && isPublic ? "public import " : "import "
        let lines = missing.map { prefix + $0 }.joined(separator: "\n")
        if let last = imports.last {
            let end = last.endPositionBeforeTrailingTrivia.utf8Offset
            return Edit(end..<end, "\n" + lines)
        }
        // Before the first declaration and its doc comment, after the comment at the top of the file.
        guard let first = tree.statements.first else { return nil }
        let start = first.position.utf8Offset + lengthOfHeader(first)
        return Edit(start..<start, lines + "\n\n")
    }

    private func lengthOfHeader(_ first: CodeBlockItemSyntax) -> Int {
        var length = 0
        var header = 0
        for piece in first.leadingTrivia {
            length += piece.sourceLength.utf8Length
            switch piece {
            case .newlines(let count), .carriageReturnLineFeeds(let count): if count > 1 { header = length }
            default: break
            }
        }
        return header
    }
}
