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
    /// Whether this is a promise.
    var namesPromise: Bool { ["Promise<", "Guarantee<"].contains { withoutModule.hasPrefix($0) } }

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
    /// `Promise` or `Guarantee`, if this stands in an extension of it.
    var extendedPromise: String? {
        let around = sequence(first: self, next: \.parent).first { $0.is(ExtensionDeclSyntax.self) }
        let type = around?.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
        return ["Promise", "Guarantee"].first { $0 == type }
    }

    /// The type that the code around gives this expression: of the variable or parameter that it is the first value of,
    /// or of the function or closure that returns it.
    var typeHere: String? { ValuePlace(of: self).type }
}

/// The place where an expression is used: as itself, in a ternary or as an element of arrays.
struct ValuePlace {
    /// The expression around, whose value can be this.
    private(set) var node: Syntax
    /// The number of arrays around, as in `[[x]]`.
    private(set) var arrays = 0
    /// The variable that is assigned.
    private(set) var assigned: ExprSyntax?

    init(of expression: Syntax) {
        node = expression
        while assigned == nil, let parent = node.parent {
            if parent.is(UnresolvedTernaryExprSyntax.self) {
                node = parent
            } else if let list = parent.as(ExprListSyntax.self) {
                guard let sequence = list.parent, isResult(in: Array(list)) else { return }
                if list.dropFirst().first?.is(AssignmentExprSyntax.self) ?? false { assigned = list.first }
                node = sequence
            } else if parent.is(ArrayElementSyntax.self), let array = parent.parent?.parent {
                arrays += 1
                node = array
            } else if parent.parent?.as(LabeledExprListSyntax.self)?.count == 1
                || parent.is(LabeledExprListSyntax.self),
                let tuple = parent.parent?.parent ?? parent.parent, tuple.is(TupleExprSyntax.self)
            {
                node = tuple
            } else {
                return
            }
        }
    }

    /// Whether the value of a list of operands and operators can be the operand: `flag ? x : x`, `y ?? x`, `y = x`.
    private func isResult(in list: [ExprSyntax]) -> Bool {
        guard let index = list.firstIndex(where: { Syntax($0).id == node.id }), index > 0 else { return false }
        if node.is(UnresolvedTernaryExprSyntax.self) { return true }
        let before = list[index - 1]
        return index == list.count - 1
            && (before.is(UnresolvedTernaryExprSyntax.self) || before.is(AssignmentExprSyntax.self)
                || before.as(BinaryOperatorExprSyntax.self)?.operator.text == "??")
    }

    /// The closure without a type that returns the value.
    var closure: ClosureExprSyntax? {
        guard assigned == nil, isReturned else { return nil }
        let body = sequence(first: node, next: \.parent).first {
            $0.is(ClosureExprSyntax.self) || $0.is(FunctionDeclSyntax.self) || $0.is(AccessorBlockSyntax.self)
        }
        return body?.as(ClosureExprSyntax.self).flatMap { $0.signature?.returnClause == nil ? $0 : nil }
    }

    private var isReturned: Bool {
        node.parent?.is(ReturnStmtSyntax.self) ?? false || node.parent?.is(CodeBlockItemSyntax.self) ?? false
    }

    /// The type of the expression.
    var type: String? {
        var type = assigned == nil ? typeOfNode : nil
        for _ in 0..<arrays {
            type = type.flatMap { $0.hasPrefix("[") && $0.hasSuffix("]") ? String($0.dropFirst().dropLast()) : nil }
        }
        return type
    }

    private var typeOfNode: String? {
        guard let parent = node.parent else { return nil }
        if parent.is(InitializerClauseSyntax.self) {
            if let parameter = parent.parent?.as(FunctionParameterSyntax.self) {
                return parameter.type.trimmedDescription
            }
            if let variable = parent.parent?.as(PatternBindingSyntax.self) {
                return variable.typeAnnotation?.type.trimmedDescription
            }
        }
        guard isReturned else { return nil }
        for current in sequence(first: parent, next: \.parent) {
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
        }
        return nil
    }
}

extension DeclReferenceExprSyntax {
    /// Whether the name belongs to `Promise.value(…)` or `Promise<T>.pending()`, whose calls are replaced or left whole.
    var isReplacedWithCall: Bool {
        if ["Promise", "Guarantee"].contains(baseName.text),
            parent?.as(FunctionCallExprSyntax.self)?.bridgedPromise != nil
        {
            return true
        }
        var node = Syntax(self)
        if let generic = node.parent?.as(GenericSpecializationExprSyntax.self) { node = Syntax(generic) }
        guard let member = node.parent?.as(MemberAccessExprSyntax.self), member.base?.id == ExprSyntax(node)?.id else {
            return false
        }
        return ["value", "pending"].contains(member.declName.baseName.text)
            && member.parent?.is(FunctionCallExprSyntax.self) ?? false
    }
}
