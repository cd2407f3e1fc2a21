import SourceFiles
import SwiftSyntax

extension FunctionCallExprSyntax {
    /// Removes the call from its chain, and keeps the comments before it: `a.map { f($0) } // why`, then `.cauterize()`.
    ///
    /// Nil if this is no call in a chain, or if a comment stands in it.
    var removalFromChain: Edit? {
        guard let member = calledExpression.as(MemberAccessExprSyntax.self), let base = member.base,
            !hasComment(after: member.period)
        else { return nil }
        let start = base.endPositionBeforeTrailingTrivia.utf8Offset
        let end = endPositionBeforeTrailingTrivia.utf8Offset
        let pieces = Array(base.trailingTrivia) + Array(member.period.leadingTrivia)
        guard let last = pieces.lastIndex(where: \.isComment) else { return Edit(start..<end, "") }
        // The rest of the line would belong to a comment that ends with the line.
        let endsLine = lastToken(viewMode: .sourceAccurate)?.isLastInLine ?? true
        let kept = pieces[last].isLineComment && !endsLine ? pieces[...] : pieces[...last]
        return Edit(start + kept.reduce(0) { $0 + $1.sourceLength.utf8Length }..<end, "")
    }

    private func hasComment(after period: TokenSyntax) -> Bool {
        tokens(viewMode: .sourceAccurate).filter { $0.position >= period.position }.haveCommentsInside
    }

    /// Whether a comment would be lost if only this expression of the call were kept.
    func hasComment(around expression: ExprSyntax) -> Bool {
        let others = tokens(viewMode: .sourceAccurate).filter { !expression.range.contains($0.position) }
        return expression.leadingTrivia.hasComment || expression.trailingTrivia.hasComment || others.haveCommentsInside
    }
}

extension FunctionCallExprSyntax {
    /// Whether a comment of the call from a name on would be lost if only this expression of it were kept.
    func hasComment(around expression: ExprSyntax, from name: TokenSyntax) -> Bool {
        let others = tokens(viewMode: .sourceAccurate).filter {
            $0.position >= name.position && !expression.range.contains($0.position)
        }
        let hasOther = others.contains {
            ($0.id != name.id && $0.leadingTrivia.hasComment)
                || ($0.endPosition < endPosition && $0.trailingTrivia.hasComment)
        }
        return hasOther || expression.leadingTrivia.hasComment
            || (expression.endPosition < endPosition && expression.trailingTrivia.hasComment)
    }

    /// Removes the statement that the call is, with its line if nothing else stands there.
    ///
    /// Nil if this is no statement, or if a comment follows in its line.
    var removalOfStatement: Edit? {
        guard let item = parent?.as(CodeBlockItemSyntax.self), !item.trailingTrivia.hasComment, item.semicolon == nil
        else { return nil }
        let start = item.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = item.endPositionBeforeTrailingTrivia.utf8Offset
        let line = item.leadingTrivia.reversed().prefix { !$0.isNewline && !$0.isComment }
        let indentation = line.reduce(0) { $0 + $1.sourceLength.utf8Length }
        let isWholeLine =
            item.leadingTrivia.count > line.count
            && item.lastToken(viewMode: .sourceAccurate)?.isLastInLine ?? false
        guard isWholeLine else { return Edit(start..<item.endPosition.utf8Offset, "") }
        var newline = 1
        if case .carriageReturnLineFeeds = item.leadingTrivia.reversed().first(where: \.isNewline) { newline = 2 }
        return Edit(start - indentation - newline..<end, "")
    }
}

extension [TokenSyntax] {
    /// Whether there is a comment after the first and before the last of them.
    fileprivate var haveCommentsInside: Bool {
        dropFirst().contains { $0.leadingTrivia.hasComment } || dropLast().contains { $0.trailingTrivia.hasComment }
    }
}

extension TokenSyntax {
    /// Whether the next token stands in another line.
    fileprivate var isLastInLine: Bool {
        guard let next = nextToken(viewMode: .sourceAccurate) else { return true }
        return next.leadingTrivia.contains(where: \.isNewline) || next.tokenKind == .endOfFile
    }
}

extension Trivia {
    var hasComment: Bool { contains(where: \.isComment) }
}

extension TriviaPiece {
    fileprivate var isLineComment: Bool {
        switch self {
        case .lineComment, .docLineComment: true
        default: false
        }
    }

    fileprivate var isComment: Bool {
        switch self {
        case .blockComment, .docBlockComment: true
        default: isLineComment
        }
    }
}
