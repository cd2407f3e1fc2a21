import SourceFiles
import SwiftSyntax

extension PromiseKitVisitor {
    /// `firstly { load() }` with one call that doesn't throw is that call.
    func visitFirstly(_ call: FunctionCallExprSyntax) {
        guard let closure = call.onlyClosure, call.trailingClosure != nil else {
            return leave(PromiseKitRow.firstly, at: call, because: "it has arguments")
        }
        guard let expression = closure.onlyExpression, !expression.hasStatements else {
            return leave(
                PromiseKitRow.firstly, at: call,
                because:
                    "its closure has several statements: write \(call.flatMapOfVoid("…")), or move them before the "
                    + "chain")
        }
        if let reason = reasonToLeave(call, closure, expression) {
            return leave(PromiseKitRow.firstly, at: call, because: reason)
        }
        let start = call.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = closure.endPositionBeforeTrailingTrivia.utf8Offset
        let parentheses = expression.canBeBase ? ("", "") : ("(", ")")
        rewrite(
            PromiseKitRow.firstly, at: call,
            [
                Edit(start..<expression.positionAfterSkippingLeadingTrivia.utf8Offset, parentheses.0),
                Edit(expression.endPositionBeforeTrailingTrivia.utf8Offset..<end, parentheses.1),
            ] + expression.dedenting(to: closure.rightBrace) + indentingLinks(after: call, closure, expression))
    }

    private func reasonToLeave(
        _ call: FunctionCallExprSyntax, _ closure: ClosureExprSyntax, _ expression: ExprSyntax
    ) -> String? {
        guard closure.capturesNothing else {
            return "its closure has a list of captures: write \(call.flatMapOfVoid("…"))"
        }
        guard !closure.throwsErrors else {
            return "its closure throws: write \(call.flatMapOfVoid("try …"))"
        }
        guard !expression.hasImplicitMember else {
            return "without the closure, nothing says the type: write `Future<Int>(value: 1)`"
        }
        guard expression.canBeBase || expression.canBeInParentheses else {
            return "no call can follow its expression: name the future, and begin the chain with that name"
        }
        if let result = closure.signature?.returnClause?.type.trimmedDescription,
            Syntax(call).typeHere == nil, call.parent?.is(CodeBlockItemSyntax.self) != true
        {
            let type = result.replacing("PromiseKit.", with: "").replacing("Promise<", with: "Future<")
                .replacing("Guarantee<", with: "Future<")
            return "its closure tells the type: write `let first: \(type) = \(expression.trimmedDescription)` before "
                + "the chain, and begin the chain with `first`"
        }
        guard !call.hasComment(around: expression) else { return "its closure has comments, which would be lost" }
        return nil
    }

    /// Moves the links to the right that stand below `firstly`, to where the links of a call stand.
    private func indentingLinks(
        after call: FunctionCallExprSyntax, _ closure: ClosureExprSyntax, _ expression: ExprSyntax
    ) -> [Edit] {
        guard let period = call.parent?.as(MemberAccessExprSyntax.self)?.period,
            period.leadingTrivia.contains(where: \.isNewline),
            let line = call.firstToken(viewMode: .sourceAccurate)?.indentationOfLine,
            period.leadingTrivia.lastSpaces == line
        else { return [] }
        let inner = expression.leadingTrivia.contains(where: \.isNewline) ? expression.leadingTrivia.lastSpaces : ""
        let isDeeper = inner.hasPrefix(line) && inner.count > line.count
        let unit = isDeeper ? String(inner.dropFirst(line.count)) : line.hasPrefix("\t") ? "\t" : "    "
        let root = Chain(around: call).root
        let start = call.endPositionBeforeTrailingTrivia.utf8Offset
        return bytes.startsOfLines(in: start..<root.endPositionBeforeTrailingTrivia.utf8Offset)
            .map { Edit($0..<$0, unit) }
    }
}

extension FunctionCallExprSyntax {
    /// The call that takes the place of a `firstly` with several statements.
    fileprivate func flatMapOfVoid(_ body: String) -> String {
        let isIsolated = [.main, .unknown].contains(Isolation(of: self))
        return "`Future(value: ()).flatMap"
            + (isIsolated ? "(isolated: { \(body) })`" : "(context: .immediate) { \(body) }`")
    }
}

extension [UInt8] {
    /// The first places of the lines that begin in a range and aren't empty.
    fileprivate func startsOfLines(in range: Range<Int>) -> [Int] {
        range.filter { self[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }.filter { start in
            let first = self[start...].first { ![UInt8(ascii: " "), UInt8(ascii: "\t")].contains($0) }
            return first.map { ![UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains($0) } ?? false
        }
    }
}

extension TokenSyntax {
    /// The white space at the start of the line that this token stands in.
    fileprivate var indentationOfLine: String {
        let first = sequence(first: self) { $0.previousToken(viewMode: .sourceAccurate) }
            .first { $0.leadingTrivia.contains(where: \.isNewline) }
        return first?.leadingTrivia.lastSpaces ?? ""
    }
}

extension ClosureExprSyntax {
    /// Whether it has no list of captures and no parameters, as in `{ () -> Promise<Int> in load() }`.
    fileprivate var capturesNothing: Bool {
        guard let signature else { return true }
        guard signature.capture == nil, signature.attributes.isEmpty else { return false }
        switch signature.parameterClause {
        case .parameterClause(let clause): return clause.parameters.isEmpty
        case .simpleInput: return false
        case nil: return true
        }
    }
}

extension ExprSyntax {
    /// Whether a call can follow if this stands in parentheses: `flag ? a() : b()`.
    fileprivate var canBeInParentheses: Bool {
        self.is(SequenceExprSyntax.self) || self.is(TernaryExprSyntax.self) || self.is(InfixOperatorExprSyntax.self)
            || self.is(AsExprSyntax.self)
    }

    /// Whether this is an `if` or a `switch`.
    fileprivate var hasStatements: Bool { self.is(IfExprSyntax.self) || self.is(SwitchExprSyntax.self) }

    /// Whether a part of the value is a member whose type isn't written: `.value(1)`, `flag ? .value(1) : load()`.
    fileprivate var hasImplicitMember: Bool {
        if trimmedDescription.hasPrefix(".") { return true }
        guard canBeInParentheses else { return false }
        return tokens(viewMode: .sourceAccurate).contains { token in
            token.parent?.as(MemberAccessExprSyntax.self)?.base == nil && token.text == "."
        }
    }

    /// Moves the lines of this expression to the left, to where a brace is now.
    fileprivate func dedenting(to brace: TokenSyntax) -> [Edit] {
        let depth = leadingTrivia.lastSpaces.count - brace.leadingTrivia.lastSpaces.count
        // In a closure there are edits of calls, and the lines of a string count.
        guard depth > 0, !description.contains(where: { "{\"".contains($0) }) else { return [] }
        return tokens(viewMode: .sourceAccurate).dropFirst().compactMap { token in
            let start = token.positionAfterSkippingLeadingTrivia.utf8Offset
            guard token.leadingTrivia.contains(where: \.isNewline), token.leadingTrivia.lastSpaces.count >= depth
            else { return nil }
            return Edit(start - depth..<start, "")
        }
    }
}

extension Trivia {
    /// The white space at the end.
    fileprivate var lastSpaces: String {
        let spaces = pieces.reversed().prefix { $0.isSpaceOrTab }
        return spaces.reversed().map { piece in
            switch piece {
            case .spaces(let count): String(repeating: " ", count: count)
            case .tabs(let count): String(repeating: "\t", count: count)
            default: ""
            }
        }.joined()
    }
}
