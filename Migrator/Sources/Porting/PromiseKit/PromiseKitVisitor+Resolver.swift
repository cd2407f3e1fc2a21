import SourceFiles
import SwiftSyntax

extension PromiseKitVisitor {
    /// `Promise { seal in … }`, if the closure only completes the promise, or passes the seal on to one call.
    func visitResolver(_ call: FunctionCallExprSyntax, _ closure: ClosureExprSyntax, isGuarantee: Bool) {
        let names = closure.parameterNames
        guard let seal = closure.signature?.parameterClause == nil ? "$0" : names.first, names.count < 2, seal != "_"
        else {
            return leave(
                PromiseKitRow.resolver, at: call,
                because: "its closure doesn't use the seal: hold a `Promise<T>`, and return its `future`")
        }
        let uses = SealUses(of: seal, isGuarantee: isGuarantee, in: closure)
        if let edits = uses.forwardingEdits(call, closure) {
            if let name = call.calledExpression.firstToken(viewMode: .sourceAccurate) { replaced.insert(name.id) }
            rewrite(PromiseKitRow.resolve, at: call, edits)
            return
        }
        let reasons = uses.others.map { $0.reasonToLeaveSeal(isGuarantee: isGuarantee) }
        if let reason = reasons.first {
            return leave(PromiseKitRow.resolver, at: call, because: reason)
        }
        guard let type = typeEdits(closure) else {
            return leave(PromiseKitRow.resolver, at: call, because: "remove the type of `\(seal)`")
        }
        replaced.formUnion(uses.results)
        rewrite(PromiseKitRow.resolver, at: call, uses.edits + type)
        for use in uses.completing { rewrite(PromiseKitRow.seal, at: use, []) }
    }

    /// `(seal: Resolver<Int>)` as `(complete: @escaping @Sendable (Try<Int>) -> Void)`.
    ///
    /// Nil if the seal has another type.
    private func typeEdits(_ closure: ClosureExprSyntax) -> [Edit]? {
        guard case .parameterClause(let clause)? = closure.signature?.parameterClause,
            let type = clause.parameters.first?.type
        else { return [] }
        guard let resolver = type.as(IdentifierTypeSyntax.self), resolver.name.text == "Resolver",
            let generics = resolver.genericArgumentClause
        else { return nil }
        replaced.insert(resolver.name.id)
        return [
            Edit(replacing: resolver.name, with: "@escaping @Sendable (Try"),
            Edit(inserting: ") -> Void", at: generics.endPositionBeforeTrailingTrivia),
        ]
    }
}

extension DeclReferenceExprSyntax {
    /// Why a promise is left whose seal is used here.
    fileprivate func reasonToLeaveSeal(isGuarantee: Bool) -> String {
        let member = parent?.as(MemberAccessExprSyntax.self)
        guard isGuarantee || member?.declName.baseName.text == "resolve" else {
            return "its seal is kept or passed on: hold a `Promise<T>` instead, and return its `future`"
        }
        let value = member.map { ExprSyntax($0) } ?? ExprSyntax(self)
        if value.parent?.is(FunctionCallExprSyntax.self) ?? false {
            return "the handler has several values: pass `$0` on as the handler, `future { load(completion: $0) }`"
        }
        guard value.parent?.is(LabeledExprSyntax.self) ?? false else {
            return "its seal is kept: hold a `Promise<T>` instead, and return its `future`"
        }
        return "pass `$0` on in a closure with one call, and move the others before it: "
            + "`future { load(completion: $0) }`"
    }
}
