import SourceFiles
import SwiftSyntax

extension CombineVisitor {
    /// A subject that is not the base of a call: `consume(taps)`, `taps.values`, `numbers.forEach(taps.send)`.
    func visitUse(_ node: DeclReferenceExprSyntax) {
        var use = ExprSyntax(node)
        if let member = node.parent?.as(MemberAccessExprSyntax.self), member.declName.id == node.id {
            use = ExprSyntax(member)
        }
        guard subjects.isReplaced(use), !node.isParameterOfOtherType else { return }
        while let parent = use.parent,
            let outer = parent.as(OptionalChainingExprSyntax.self).map({ ExprSyntax($0) })
                ?? parent.as(ForceUnwrapExprSyntax.self).map({ ExprSyntax($0) })
        {
            use = outer
        }
        if let member = use.parent?.as(MemberAccessExprSyntax.self), member.base?.id == use.id {
            return visitMember(member)
        }
        if let call = use.combined, subjects.isReplaced(Chain(around: call).receiver) {
            return also([Edit(inserting: ".stream", at: use.endPositionBeforeTrailingTrivia)])
        }
        guard !isStillSubject(use) else { return }
        leave(
            CombineRow.passthrough, at: use,
            because:
                "it is a `StreamPromise` now: where a publisher is expected, write `\(use.trimmedDescription).stream`")
    }

    private func visitMember(_ member: MemberAccessExprSyntax) {
        let isCalled = member.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id == ExprSyntax(member).id
        guard !isCalled, let base = member.base?.trimmedDescription else { return }
        switch member.declName.baseName.text {
        case "send":
            rewrite(CombineRow.send, at: member.declName, [Edit(replacing: member.declName.baseName, with: "success")])
        case "values":
            leave(
                CombineRow.values, at: member.declName,
                because: "the loop can throw here: write `for try await x in \(base).stream.values`")
        case "stream": break
        case let name:
            leave(
                CombineRow.passthrough, at: member.declName,
                because: "it is a `StreamPromise` now, which has no `\(name)`: write `\(base).stream`")
        }
    }

    /// Whether the place takes a `PassthroughSubject`, which becomes a `StreamPromise` too, or any type.
    private func isStillSubject(_ use: ExprSyntax) -> Bool {
        guard let parent = use.parent else { return true }
        if parent.is(ClosureCaptureSyntax.self) || parent.is(KeyPathPropertyComponentSyntax.self)
            || parent.is(PostfixIfConfigExprSyntax.self)
        {
            return true
        }
        if let argument = parent.as(LabeledExprSyntax.self) {
            guard let called = argument.parent?.parent?.as(FunctionCallExprSyntax.self)?.calledExpression else {
                return argument.parent?.parent?.is(ExpressionSegmentSyntax.self) ?? false
            }
            let name = called.lastName ?? ""
            return subjects.takesSubject(name) || ["subscribe", "print", "ObjectIdentifier", "type"].contains(name)
                || argument.label.map { subjects.isReplaced(ExprSyntax(DeclReferenceExprSyntax(baseName: $0.trimmed))) }
                    ?? false
        }
        if parent.is(InitializerClauseSyntax.self) {
            let name = parent.parent?.as(PatternBindingSyntax.self)?.pattern.trimmedDescription
            return parent.parent?.is(OptionalBindingConditionSyntax.self) ?? false
                || name.map { subjects.own[$0]?.contains(.promise) ?? false } ?? false
        }
        let place = ValuePlace(of: Syntax(use))
        if let assigned = place.assigned { return subjects.isReplaced(assigned) }
        // The left side of an assignment, and operands of `===`.
        if parent.is(ExprListSyntax.self), place.node.id == use.id { return true }
        if let type = place.type { return type.contains("PassthroughSubject") }
        return parent.is(CodeBlockItemSyntax.self) && place.closure == nil
    }
}

extension ExprSyntax {
    /// The `combineLatest` that this is an argument of.
    fileprivate var combined: FunctionCallExprSyntax? {
        let call = parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
        guard let call, parent?.is(LabeledExprSyntax.self) ?? false,
            call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "combineLatest"
        else { return nil }
        return call
    }
}

extension DeclReferenceExprSyntax {
    /// Whether the name means a parameter that is no subject.
    fileprivate var isParameterOfOtherType: Bool {
        guard parent?.as(MemberAccessExprSyntax.self)?.declName.id != id else { return false }
        let name = baseName.text
        for node in sequence(first: Syntax(self), next: \.parent) {
            if let closure = node.as(ClosureExprSyntax.self), closure.parameterNames.contains(name) { return true }
            let parameters =
                node.as(FunctionDeclSyntax.self)?.signature.parameterClause.parameters
                ?? node.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters
            if let parameter = parameters?.first(where: { ($0.secondName ?? $0.firstName).text == name }) {
                return !parameter.type.trimmedDescription.contains("PassthroughSubject")
            }
        }
        return false
    }
}
