import SourceFiles
import SwiftSyntax

extension PromiseKitVisitor {
    /// `Promise { seal in … }`, `Promise(error: e)`, `Promise()` and `Promise(guarantee)`.
    func visitMaking(_ call: FunctionCallExprSyntax, _ name: String) {
        if call.arguments.first?.label?.text == "error" {
            return rewrite(PromiseKitRow.value, at: call, [])
        }
        if call.isEmptyCall, call.calledExpression.trimmedDescription.namesVoidPromise {
            return rewrite(PromiseKitRow.value, at: call, fulfilled(call))
        }
        if let value = call.bridgedPromise {
            return rewrite(
                PromiseKitRow.value, at: call,
                [
                    Edit(
                        removingFrom: call.positionAfterSkippingLeadingTrivia,
                        to: value.positionAfterSkippingLeadingTrivia),
                    Edit(removingFrom: value.endPositionBeforeTrailingTrivia, to: call.endPositionBeforeTrailingTrivia),
                ])
        }
        guard let closure = call.onlyClosure else { return }
        visitResolver(call, closure, isGuarantee: name == "Guarantee")
    }

    /// `Promise.value(x)` and `Promise<T>.pending()`.
    func visitStatic(_ call: FunctionCallExprSyntax, _ member: MemberAccessExprSyntax, _ name: String) {
        switch name {
        case "init" where call.isEmptyCall && member.base?.trimmedDescription.namesVoidPromise ?? false:
            rewrite(PromiseKitRow.value, at: call, fulfilled(call))
        case "value":
            guard let type = member.base, let argument = call.arguments.first, let paren = call.leftParen else {
                return
            }
            var edits = [
                Edit(removingFrom: type.endPositionBeforeTrailingTrivia, to: paren.positionAfterSkippingLeadingTrivia),
                Edit(inserting: "value: ", at: argument.positionAfterSkippingLeadingTrivia),
            ]
            if let first = type.firstToken(viewMode: .sourceAccurate) {
                edits.append(Edit(replacing: first, with: future))
            }
            rewrite(PromiseKitRow.value, at: call, edits)
        case "pending":
            if let pair = PendingPair(of: call) {
                rewrite(PromiseKitRow.pending, at: call, pair.edits)
                if keepsLibrary {
                    also([Edit(inserting: "SimpleFutures.", at: call.positionAfterSkippingLeadingTrivia)])
                }
                for use in pair.completing { rewrite(PromiseKitRow.seal, at: use, []) }
                return
            }
            leave(
                PromiseKitRow.pending, at: call,
                because: "one `Promise` takes the place of the pair, and has to be held until it is completed")
        default: break
        }
    }

    /// `Promise()` is fulfilled; `Future()` is pending.
    func fulfilled(_ call: FunctionCallExprSyntax) -> [Edit] {
        call.leftParen.map { [Edit(inserting: "value: ()", at: $0.endPositionBeforeTrailingTrivia)] } ?? []
    }

    /// `.value(x)` where a promise is expected.
    func visitImplicitValue(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        guard call.arguments.count == 1, call.trailingClosure == nil, let argument = call.arguments.first,
            argument.label == nil, !call.isPattern
        else { return }
        guard let type = type(around: call) else {
            guard !call.isCompared else { return }
            return leave(PromiseKitRow.value, at: call, because: "where a promise is expected, write `.init(value: x)`")
        }
        guard type.namesPromise else { return }
        rewrite(
            PromiseKitRow.value, at: call,
            [
                Edit(replacing: name, with: "init"),
                Edit(inserting: "value: ", at: argument.positionAfterSkippingLeadingTrivia),
            ])
    }

    /// The type that the code around gives an expression.
    func type(around node: some SyntaxProtocol) -> String? {
        let place = ValuePlace(of: Syntax(node))
        if let type = place.type { return type }
        if let name = place.assigned?.lastName, place.arrays == 0 { return context.promise(named: name) }
        let call = place.closure.flatMap { $0.parent?.as(FunctionCallExprSyntax.self) }
        return call?.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "then"
            && place.arrays == 0 ? "Promise<_>" : nil
    }

    /// `Promise.value` as a function, and the properties of a promise.
    func visitResult(_ node: MemberAccessExprSyntax) {
        guard let base = node.base, !node.isCalled else { return }
        if ["Promise", "Guarantee"].contains(base.plainName) {
            guard node.declName.baseName.text == "value" else { return }
            let isVoid = base.is(GenericSpecializationExprSyntax.self) || type(around: node) != nil
            let start = isVoid ? node.period.positionAfterSkippingLeadingTrivia : node.declName.position
            let end = node.endPositionBeforeTrailingTrivia.utf8Offset
            return rewrite(
                PromiseKitRow.value, at: node,
                [Edit(start.utf8Offset..<end, isVoid ? "(value: ())" : "init(value:)")])
        }
        let call = base.as(FunctionCallExprSyntax.self)
        let name = (call?.calledExpression ?? base).lastName
        let isInChain = call.map { Chain(around: $0).isPromiseKit } ?? false
        guard isInChain || name.flatMap({ context.promise(named: $0) }) != nil else { return }
        leave(
            PromiseKitRow.state, at: node.declName,
            because: "write `f.result?.value` or `f.result?.error`, or await the value")
    }
}

extension MemberAccessExprSyntax {
    /// Whether this is the function of a call.
    var isCalled: Bool { parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id == ExprSyntax(self).id }
}

extension FunctionCallExprSyntax {
    /// Whether this is a pattern, as in `case .value(let x)`.
    fileprivate var isPattern: Bool {
        sequence(first: Syntax(self), next: \.parent).prefix { !$0.is(CodeBlockItemSyntax.self) }.contains {
            $0.is(ExpressionPatternSyntax.self) || $0.is(SwitchCaseItemSyntax.self)
        }
    }

    /// Whether this is compared with another value, which promises can't be.
    fileprivate var isCompared: Bool {
        let operators = parent?.as(ExprListSyntax.self)?.compactMap { $0.as(BinaryOperatorExprSyntax.self) } ?? []
        if operators.contains(where: { ["==", "!="].contains($0.operator.text) }) { return true }
        let call = parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
        return call?.calledExpression.plainName?.hasPrefix("XCTAssert") ?? false
    }
}
