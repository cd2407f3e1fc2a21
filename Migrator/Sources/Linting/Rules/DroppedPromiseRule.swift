import SwiftSyntax

/// Promises of a function that only give their future away, so that they are released with the function.
///
/// Only futures that are returned or awaited count: others may be pending on purpose. Tests break promises to see what
/// happens, so their files are left out.
func droppedPromiseIssues(in tree: SourceFileSyntax) -> [Issue] {
    guard !tree.isTest else { return [] }
    var issues: [Issue] = []
    for binding in tree.all(PatternBindingSyntax.self) {
        guard let name = binding.pattern.simpleName, let type = binding.initializer?.value.madePromise,
            let scope = Syntax(binding).localScope, scope.declarations(of: name) == 1
        else { continue }
        let uses = scope.all(DeclReferenceExprSyntax.self).filter { $0.baseName.text == name }
        let isCaptured = scope.all(ClosureCaptureSyntax.self).contains { $0.name.text == name }
        guard !isCaptured, uses.allSatisfy(\.onlyReads), uses.contains(where: { Syntax($0).isReturnedOrAwaited }) else {
            continue
        }
        issues.append(issue(at: binding.start, "`\(name)`", type))
    }
    for member in tree.all(MemberAccessExprSyntax.self) {
        guard ["future", "stream"].contains(member.declName.baseName.text), let type = member.base?.madePromise,
            Syntax(member).isReturnedOrAwaited
        else { continue }
        issues.append(issue(at: member.start, "this promise", type))
    }
    return issues
}

private func issue(at position: AbsolutePosition, _ name: String, _ type: String) -> Issue {
    let isStream = type.contains("Stream")
    return Issue(
        position: position,
        message: isStream
            ? "\(name) is released before it emits: its stream finishes at once"
            : "\(name) is released before it has an answer: its future fails with `brokenPromise`",
        advice: "keep the promise in the object that completes it, or capture it in the closure that does: "
            + "`load { [promise] in promise.success($0) }`")
}

extension ExprSyntax {
    /// The type, if the expression makes a promise.
    fileprivate var madePromise: String? {
        guard let call = self.as(FunctionCallExprSyntax.self), call.trailingClosure == nil,
            call.calledExpression.as(MemberAccessExprSyntax.self) == nil, let name = call.calledName,
            ["Promise", "StreamPromise", "TypedPromise"].contains(name),
            call.arguments.allSatisfy({ $0.label?.text == "capacity" })
        else { return nil }
        return name
    }
}

extension DeclReferenceExprSyntax {
    /// Whether the function only reads the promise's future, and passes the promise to no other code.
    fileprivate var onlyReads: Bool {
        guard let member = parent?.as(MemberAccessExprSyntax.self), member.base?.id == ExprSyntax(self).id else {
            return false
        }
        return ["future", "stream", "completed"].contains(member.declName.baseName.text)
    }
}

extension Syntax {
    /// Whether a chain that begins here is the result of the function around, or is awaited in it.
    fileprivate var isReturnedOrAwaited: Bool {
        var node = parent
        while let current = node {
            switch current.kind {
            case .awaitExpr, .returnStmt: return true
            case .memberAccessExpr, .functionCallExpr, .tryExpr, .expressionStmt: node = current.parent
            case .codeBlockItem:
                // The only expression of a function that has a result.
                guard let list = current.parent?.as(CodeBlockItemListSyntax.self), list.count == 1 else { return false }
                let function = list.parent?.parent?.as(FunctionDeclSyntax.self)
                return function?.signature.returnClause != nil || list.parent?.is(AccessorBlockSyntax.self) ?? false
            default: return false
            }
        }
        return false
    }
}
