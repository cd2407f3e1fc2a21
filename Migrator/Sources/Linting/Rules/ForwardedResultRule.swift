import SwiftSyntax

/// Callbacks of futures that do nothing but call the completion handler of the function around.
func forwardedResultIssues(in tree: SourceFileSyntax) -> [Issue] {
    tree.all(FunctionCallExprSyntax.self).compactMap { call in
        guard let member = call.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base else {
            return nil
        }
        let handlers = Syntax(call).completionHandlers
        guard !handlers.isEmpty, !Syntax(call).isInOnComplete else { return nil }
        switch call.calledName {
        case "onComplete":
            return call.onlyCalls(handlers).map { issue(at: member.declName.start, "`onComplete` doesn't run", $0) }
        case "onFailure":
            // The two halves of an `onComplete`, without the third one.
            guard let success = base.as(FunctionCallExprSyntax.self), success.calledName == "onSuccess",
                success.onlyCalls(handlers) != nil, !call.isFollowed(by: "onCancel")
            else { return nil }
            let halves = "`onSuccess` and `onFailure` don't run"
            return call.onlyCalls(handlers).map { issue(at: member.declName.start, halves, $0) }
        default: return nil
        }
    }
}

private func issue(at position: AbsolutePosition, _ problem: String, _ handler: String) -> Issue {
    Issue(
        position: position,
        message: "\(problem) if the future is canceled, so `\(handler)` is never called then",
        advice: "write `callback(\(handler)) { try await future.value }`, which calls it in any case")
}

extension FunctionCallExprSyntax {
    /// The handler, if all that the callback does is to call one of them, or if it is one of them.
    fileprivate func onlyCalls(_ handlers: Set<String>) -> String? {
        if let closure = closures.last?.closure { return closure.statements.onlyCalls(handlers) }
        return arguments.last?.expression.identifier.flatMap { handlers.contains($0) ? $0 : nil }
    }

    /// Whether a function is called on the result.
    fileprivate func isFollowed(by name: String) -> Bool {
        parent?.as(MemberAccessExprSyntax.self)?.declName.baseName.text == name
    }
}

extension CodeBlockItemListSyntax {
    /// The handler, if all that the statements do is to call one of them: in a line, or in each branch.
    fileprivate func onlyCalls(_ handlers: Set<String>) -> String? {
        guard count == 1, let item = first else { return nil }
        let node =
            switch item.item {
            case .expr(let expression): Syntax(expression)
            case .stmt(let statement): statement.as(ExpressionStmtSyntax.self).map { Syntax($0.expression) }
            default: Syntax?.none
            }
        if let call = node?.as(FunctionCallExprSyntax.self) {
            var called = call.calledExpression
            if let optional = called.as(OptionalChainingExprSyntax.self) { called = optional.expression }
            return called.identifier.flatMap { handlers.contains($0) ? $0 : nil }
        }
        var branches: [CodeBlockItemListSyntax] = []
        if let choice = node?.as(SwitchExprSyntax.self) {
            branches = choice.cases.compactMap { $0.as(SwitchCaseSyntax.self)?.statements }
        } else if let choice = node?.as(IfExprSyntax.self) {
            guard case .codeBlock(let otherwise)? = choice.elseBody else { return nil }
            branches = [choice.body.statements, otherwise.statements]
        }
        let called = branches.map { $0.onlyCalls(handlers) }
        guard let handler = called.first ?? nil, called.allSatisfy({ $0 != nil }) else { return nil }
        return handler
    }
}

extension Syntax {
    /// Whether the function around is an `onComplete` itself, as in a type that conforms to `Futurable`.
    fileprivate var isInOnComplete: Bool {
        enclosingFunction?.as(FunctionDeclSyntax.self)?.name.text == "onComplete"
    }

    /// The closure parameters of the functions around.
    fileprivate var completionHandlers: Set<String> {
        var names: Set<String> = []
        var node = parent
        while let current = node {
            let parameters =
                current.as(FunctionDeclSyntax.self)?.signature.parameterClause.parameters
                ?? current.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters
            for parameter in parameters ?? [] {
                let name = (parameter.secondName ?? parameter.firstName).text
                let type = parameter.type.trimmedDescription
                let isNamedSo = ["completion", "handler", "callback"].contains { name.lowercased().contains($0) }
                if type.contains("->") || isNamedSo { names.insert(name) }
            }
            node = current.parent
        }
        return names
    }
}
