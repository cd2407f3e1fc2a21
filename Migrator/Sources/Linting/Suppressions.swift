import SourceFiles
import SwiftSyntax

/// The `// migrator:ignore reason` comments of a file.
///
/// A comment covers its own line and the next one that isn't a comment of this kind itself.
struct Suppressions {
    private var lines: Set<Int> = []
    private(set) var withoutReason: [Issue] = []

    init(_ file: SourceFile) {
        guard file.text.contains(Self.mark) else { return }
        for token in file.tree.tokens(viewMode: .sourceAccurate) {
            var position = token.position
            for piece in token.leadingTrivia {
                add(piece, at: position, in: file)
                position = position.advanced(by: piece.sourceLength.utf8Length)
            }
            position = token.endPositionBeforeTrailingTrivia
            for piece in token.trailingTrivia {
                add(piece, at: position, in: file)
                position = position.advanced(by: piece.sourceLength.utf8Length)
            }
        }
    }

    /// Whether a comment covers the line.
    func cover(_ line: Int) -> Bool { lines.contains(line) }

    private static let mark = "migrator:ignore"

    private mutating func add(_ piece: TriviaPiece, at position: AbsolutePosition, in file: SourceFile) {
        guard case .lineComment(let comment) = piece else { return }
        let text = comment.drop { $0 == "/" }.drop { $0 == " " }
        guard text.hasPrefix(Self.mark) else { return }
        let reason = text.dropFirst(Self.mark.count).filter { $0.isLetter || $0.isNumber }
        if reason.isEmpty {
            withoutReason.append(
                Issue(
                    position: position,
                    message: "`migrator:ignore` has no reason, so it suppresses nothing",
                    advice: "say why this is right: `// migrator:ignore the delegate resumes it`"))
            return
        }
        let line = file.converter.location(for: position).line
        lines.formUnion([line, line + 1])
    }
}
