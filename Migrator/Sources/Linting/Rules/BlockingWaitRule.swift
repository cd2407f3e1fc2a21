import SwiftSyntax

/// Semaphores and groups that a function waits for until one of its closures signals or leaves.
///
/// Tests wait on purpose, and let threads meet at chosen points, so their files are left out, and so are scripts.
func blockingWaitIssues(in tree: SourceFileSyntax) -> [Issue] {
    guard tree.shebang == nil, !tree.isTest else { return [] }
    let calls = tree.all(FunctionCallExprSyntax.self)
    return calls.compactMap { wait in
        guard let member = wait.calledExpression.as(MemberAccessExprSyntax.self),
            member.declName.baseName.text == "wait", let name = member.base?.identifier,
            let function = Syntax(wait).enclosingFunction, let kind = waitable(named: name, in: function),
            let scope = Syntax(wait).enclosingClosure(inside: function) ?? Optional(function)
        else { return nil }
        let ends = kind == "DispatchSemaphore" ? "signal" : "leave"
        // The closure that ends the wait runs elsewhere: it is inside of the code that waits, and not the same closure.
        let isEnded = calls.contains { call in
            guard let end = call.calledExpression.as(MemberAccessExprSyntax.self),
                end.declName.baseName.text == ends, end.base?.identifier == name,
                let closure = Syntax(call).enclosingClosure(inside: function)
            else { return false }
            return closure.id != scope.id && closure.isInside(scope) && !closure.isProbe
        }
        guard isEnded else { return nil }
        return Issue(
            position: wait.start,
            message: "this blocks the thread until a closure has called `\(name).\(ends)()`: a deadlock if that "
                + "closure needs this thread, and one thread fewer for other work if not",
            advice: kind == "DispatchSemaphore"
                ? "wrap the call: `try await future { load(completion: $0) }.value`; in a tool, `try future.wait()`"
                : "return a future for each call and combine them: `zip(a, b)`, `items.traverse { load($0) }`")
    }
}

/// The type of a local semaphore or group.
///
/// A semaphore that starts above 0 limits how much runs at a time, and no
/// result is waited for.
private func waitable(named name: String, in function: Syntax) -> String? {
    for binding in function.all(PatternBindingSyntax.self) where binding.pattern.simpleName == name {
        guard let call = binding.initializer?.value.as(FunctionCallExprSyntax.self), let type = call.calledName else {
            continue
        }
        if type == "DispatchGroup" { return type }
        if type == "DispatchSemaphore", call.arguments.first?.expression.trimmedDescription == "0" { return type }
    }
    return nil
}

extension Syntax {
    /// Whether a closure is `queue.async { semaphore.signal() }`: it measures how long the queue takes.
    fileprivate var isProbe: Bool {
        guard let closure = self.as(ClosureExprSyntax.self), closure.statements.count == 1,
            let call = closure.parent?.as(FunctionCallExprSyntax.self)
        else { return false }
        return ["async", "asyncAfter"].contains(call.calledName)
    }

    /// The function, initializer or accessor around, or else the file.
    var enclosingFunction: Syntax? {
        var node = parent
        while let current = node {
            switch current.kind {
            case .functionDecl, .initializerDecl, .deinitializerDecl, .accessorDecl, .subscriptDecl, .sourceFile:
                return current
            case .accessorBlock where current.parent?.is(PatternBindingSyntax.self) ?? false: return current
            default: node = current.parent
            }
        }
        return nil
    }

    /// The innermost closure around, if it is inside of a function.
    func enclosingClosure(inside function: Syntax) -> Syntax? {
        var node = parent
        while let current = node, current.id != function.id {
            if current.is(ClosureExprSyntax.self) { return current }
            node = current.parent
        }
        return nil
    }

    func isInside(_ other: Syntax) -> Bool {
        var node = parent
        while let current = node {
            if current.id == other.id { return true }
            node = current.parent
        }
        return false
    }
}
