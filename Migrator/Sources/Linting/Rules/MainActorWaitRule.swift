import SwiftSyntax

/// Calls of a future's `wait` in code of the main actor: the screen freezes, and for good if the future needs a callback
/// there.
///
/// Tests are left out.
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
    ///
    /// A `wait` that is awaited is another one, which blocks nothing.
    fileprivate var isTried: Bool {
        var node = parent
        while let current = node {
            switch current.kind {
            case .tryExpr: return true
            case .awaitExpr, .codeBlockItem, .closureExpr, .initializerClause: return false
            default: node = current.parent
            }
        }
        return false
    }

    /// Whether the code runs in a function of the main actor itself, and not in a closure.
    ///
    /// A nested type does not inherit the actor of the outer type.
    fileprivate var isInMainActorFunction: Bool {
        var node = parent
        while let current = node {
            if current.is(ClosureExprSyntax.self) { return false }
            if let isolation = current.isOnMainActor { return isolation }
            if current.is(DeinitializerDeclSyntax.self) || current.asProtocol((any DeclGroupSyntax).self) != nil {
                return false
            }
            node = current.parent
        }
        return false
    }

    /// Whether the declaration says that it is on the main actor, or that it is not; nil if it says nothing.
    private var isOnMainActor: Bool? {
        let modifiers = asProtocol((any WithModifiersSyntax).self)?.modifiers.map(\.name.text) ?? []
        if modifiers.contains("nonisolated") { return false }
        if let attributes = asProtocol((any WithAttributesSyntax).self)?.attributes {
            let names = attributes.compactMap { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription }
            if names.contains("MainActor") { return true }
            if names.contains(where: { $0 == "concurrent" || $0.hasSuffix("Actor") }) { return false }
        }
        guard let type = self.as(ClassDeclSyntax.self), let inherited = type.inheritanceClause?.inheritedTypes else {
            return nil
        }
        let classes = ["UIViewController", "UIView", "UIResponder", "NSViewController", "NSView", "NSWindowController"]
        return inherited.contains { classes.contains($0.type.trimmedDescription) } ? true : nil
    }
}
