import SwiftSyntax

/// Owners of a token that only a function holds: they are released with it, and cancel the work that they were given to.
///
/// Functions that await are left out, because there that may be the purpose, and so are tests.
func droppedTokenIssues(in tree: SourceFileSyntax) -> [Issue] {
    guard !tree.isTest else { return [] }
    var issues: [Issue] = []
    for binding in tree.all(PatternBindingSyntax.self) {
        guard let name = binding.pattern.simpleName, binding.initializer?.value.isNewOwner ?? false,
            let scope = Syntax(binding).localScope, scope.declarations(of: name) == 1,
            scope.all(AwaitExprSyntax.self).isEmpty
        else { continue }
        let uses = scope.all(DeclReferenceExprSyntax.self).filter { $0.baseName.text == name }
        let isCaptured = scope.all(ClosureCaptureSyntax.self).contains { $0.name.text == name }
        let isKept = uses.contains { use in
            Syntax(use).enclosingClosure(inside: scope) != nil || Syntax(use).isInLocalFunction(of: scope)
        }
        guard !uses.isEmpty, !isCaptured, !isKept, uses.allSatisfy(\.onlyReadsToken) else { continue }
        issues.append(
            issue(at: binding.start, "`\(name)` is released when the function returns, and cancels its token"))
    }
    for member in tree.all(MemberAccessExprSyntax.self)
    where member.declName.baseName.text == "token" && member.base?.isNewOwner ?? false {
        issues.append(issue(at: member.start, "this `OwnedToken` is released at once, and cancels its token"))
    }
    return issues
}

private func issue(at position: AbsolutePosition, _ message: String) -> Issue {
    Issue(
        position: position, message: message,
        advice: "keep it in the object that needs the result: `private let life = OwnedToken()`; for a token that "
            + "you cancel yourself, use `CancelToken()`")
}

extension ExprSyntax {
    /// Whether the expression makes an owner of a token.
    fileprivate var isNewOwner: Bool {
        guard let called = self.as(FunctionCallExprSyntax.self)?.calledExpression else { return false }
        guard let member = called.as(MemberAccessExprSyntax.self), member.declName.baseName.text == "init" else {
            return called.identifier == "OwnedToken"
        }
        return member.base?.identifier == "OwnedToken"
    }
}

extension Syntax {
    /// Whether the code is in a local function, which keeps what it captures.
    fileprivate func isInLocalFunction(of scope: Syntax) -> Bool {
        var node = parent
        while let current = node, current.id != scope.id {
            if current.is(FunctionDeclSyntax.self) { return true }
            node = current.parent
        }
        return false
    }
}

extension DeclReferenceExprSyntax {
    fileprivate var onlyReadsToken: Bool {
        guard let member = parent?.as(MemberAccessExprSyntax.self), member.base?.id == ExprSyntax(self).id else {
            return false
        }
        return member.declName.baseName.text == "token"
    }
}
