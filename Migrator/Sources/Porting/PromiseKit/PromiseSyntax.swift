import SwiftSyntax

extension FunctionCallExprSyntax {
    /// The promise or guarantee in `Promise(guarantee)`: here both are futures.
    var bridgedPromise: ExprSyntax? {
        guard arguments.count == 1, let argument = arguments.first, argument.label == nil, trailingClosure == nil,
            calledExpression.is(DeclReferenceExprSyntax.self), argument.expression.canBeBase
        else { return nil }
        return argument.expression
    }

    /// Whether the call has neither arguments nor a closure.
    var isEmptyCall: Bool { leftParen != nil && arguments.isEmpty && trailingClosure == nil }
}

extension String {
    /// Whether this is a promise without a value, or one whose type the code around tells.
    var namesVoidPromise: Bool {
        ["Promise", "Guarantee"].contains {
            withoutModule == $0 || withoutModule == "\($0)<Void>" || withoutModule == "\($0)<()>"
        }
    }

    /// `Promise<Int>` for `PromiseKit.Promise<Int>`.
    fileprivate var withoutModule: String { hasPrefix("PromiseKit.") ? String(dropFirst("PromiseKit.".count)) : self }
}

extension Syntax {
    /// Whether the code around says that this is a promise.
    var isPromiseHere: Bool {
        guard let type = typeHere else { return false }
        return ["Promise<", "Guarantee<"].contains { type.withoutModule.hasPrefix($0) }
    }

    /// `Promise` or `Guarantee`, if this stands in an extension of it.
    var extendedPromise: String? {
        let around = sequence(first: self, next: \.parent).first { $0.is(ExtensionDeclSyntax.self) }
        let type = around?.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
        return ["Promise", "Guarantee"].first { $0 == type }
    }

    /// The type of the variable that this is the first value of, or else the type that the function or closure around
    /// returns, if this is what it returns.
    var typeHere: String? {
        guard let parent else { return nil }
        if let variable = parent.parent?.as(PatternBindingSyntax.self), parent.is(InitializerClauseSyntax.self) {
            return variable.typeAnnotation?.type.trimmedDescription
        }
        let isReturned = parent.is(ReturnStmtSyntax.self) || parent.is(CodeBlockItemSyntax.self)
        guard isReturned else { return nil }
        var node = parent.parent
        while let current = node {
            if let closure = current.as(ClosureExprSyntax.self) {
                if let result = closure.signature?.returnClause { return result.type.trimmedDescription }
                let variable = closure.parent?.parent?.as(PatternBindingSyntax.self)
                let type = variable?.typeAnnotation?.type.as(FunctionTypeSyntax.self)
                return type?.returnClause.type.trimmedDescription
            }
            if let function = current.as(FunctionDeclSyntax.self) {
                return function.signature.returnClause?.type.trimmedDescription
            }
            if let property = current.as(PatternBindingSyntax.self), property.accessorBlock != nil {
                return property.typeAnnotation?.type.trimmedDescription
            }
            node = current.parent
        }
        return nil
    }
}

extension DeclReferenceExprSyntax {
    /// Whether the name belongs to `Promise.value(…)` or `Promise<T>.pending()`, whose calls are replaced or left whole.
    var isReplacedWithCall: Bool {
        if parent?.as(FunctionCallExprSyntax.self)?.bridgedPromise != nil { return true }
        var node = Syntax(self)
        if let generic = node.parent?.as(GenericSpecializationExprSyntax.self) { node = Syntax(generic) }
        guard let member = node.parent?.as(MemberAccessExprSyntax.self), member.base?.id == ExprSyntax(node)?.id else {
            return false
        }
        return ["value", "pending"].contains(member.declName.baseName.text)
            && member.parent?.is(FunctionCallExprSyntax.self) ?? false
    }
}
