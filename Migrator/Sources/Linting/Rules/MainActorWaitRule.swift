import SwiftSyntax

/// Calls of a future's `wait` in code of the main actor, where the screen freezes, and where a callback may be due that
/// the future needs.
///
/// Tests may wait.
func mainActorWaitIssues(in tree: SourceFileSyntax) -> [Issue] {
    guard !tree.isTest else { return [] }
    return tree.all(FunctionCallExprSyntax.self).compactMap { wait in
        guard let member = wait.calledExpression.as(MemberAccessExprSyntax.self),
            member.declName.baseName.text == "wait", member.base != nil, wait.trailingClosure == nil,
            wait.arguments.allSatisfy({ $0.label?.text == "timeout" }), Syntax(wait).isTried,
            Syntax(wait).isInMainActorFunction
        else { return nil }
        return Issue(
            position: member.declName.start,
            message: "this blocks the main actor until the future has ended: the screen freezes, for good if the "
                + "future needs a callback there",
            advice: "`try await future.value`, or a callback: `future.onSuccess(isolated: { self.show($0) })`")
    }
}

extension Syntax {
    /// Whether a `try` covers the call, as a future's `wait` needs; that of a semaphore throws nothing.
    fileprivate var isTried: Bool {
        var node = parent
        while let current = node {
            switch current.kind {
            case .tryExpr: return true
            case .codeBlockItem, .closureExpr, .initializerClause: return false
            default: node = current.parent
            }
        }
        return false
    }

    /// Whether the code runs in a function of the main actor itself, and not in a closure.
    fileprivate var isInMainActorFunction: Bool {
        var node = parent
        while let current = node {
            if current.is(ClosureExprSyntax.self) { return false }
            if let modifiers = current.asProtocol((any WithModifiersSyntax).self)?.modifiers,
                modifiers.contains(where: { $0.name.text == "nonisolated" })
            {
                return false
            }
            if current.isOnMainActor { return true }
            node = current.parent
        }
        return false
    }

    private var isOnMainActor: Bool {
        if let attributes = asProtocol((any WithAttributesSyntax).self)?.attributes {
            let names = attributes.compactMap { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription }
            if names.contains("MainActor") { return true }
        }
        guard let type = self.as(ClassDeclSyntax.self), let inherited = type.inheritanceClause?.inheritedTypes else {
            return false
        }
        let classes = ["UIViewController", "UIView", "UIResponder", "NSViewController", "NSView", "NSWindowController"]
        return inherited.contains { classes.contains($0.type.trimmedDescription) }
    }
}
