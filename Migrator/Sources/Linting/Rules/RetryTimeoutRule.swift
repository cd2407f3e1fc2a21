import SwiftSyntax

/// Attempts of `retry` with a timeout that leaves the attempt running.
func retryTimeoutIssues(in tree: SourceFileSyntax) -> [Issue] {
    tree.all(FunctionCallExprSyntax.self).flatMap { retry -> [Issue] in
        guard retry.calledName == "retry", let attempt = retry.closures.last?.closure else { return [] }
        return attempt.all(FunctionCallExprSyntax.self).compactMap { timeout in
            guard let member = timeout.calledExpression.as(MemberAccessExprSyntax.self),
                member.declName.baseName.text == "timeout", timeout.arguments.first?.label == nil,
                !timeout.arguments.contains(where: { ["cancelling", "scheduler"].contains($0.label?.text) })
            else { return nil }
            return Issue(
                position: member.declName.start,
                message: "this timeout ends the wait and not the attempt: the next attempt runs beside it",
                advice: "make a child of the token of the retry for each attempt: `let attempt = token.child()`, then "
                    + "`load(cancelToken: attempt).timeout(…, cancelling: attempt)`")
        }
    }
}
