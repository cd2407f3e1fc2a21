import SwiftSyntax

/// Continuations that go on waiting when their task is canceled.
func cancellationIssues(in tree: SourceFileSyntax) -> [Issue] {
    tree.all(FunctionCallExprSyntax.self).compactMap { call in
        guard let name = call.calledName, continuationFunctions.contains(name), !isCancellable(call) else {
            return nil
        }
        return Issue(
            position: call.start,
            message: "`\(name)` ignores cancellation: a canceled task waits until the call has answered",
            advice: "write `try await future(cancelToken: token) { load(completion: $0) }.value(cancelling: token)` "
                + "in `withCancelToken { token in … }`, or add `withTaskCancellationHandler`")
    }
}

private func isCancellable(_ call: FunctionCallExprSyntax) -> Bool {
    var node = Syntax(call).parent
    while let current = node {
        if let outer = current.as(FunctionCallExprSyntax.self), let name = outer.calledName,
            ["withTaskCancellationHandler", "withCancelToken"].contains(name)
        {
            return true
        }
        if current.is(FunctionDeclSyntax.self) || current.is(AccessorDeclSyntax.self) { return false }
        node = current.parent
    }
    return false
}
