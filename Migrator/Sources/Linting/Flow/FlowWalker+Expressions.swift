import SwiftSyntax

extension FlowWalker {
    func walkExpression(_ node: Syntax, _ states: Set<FlowState>) -> Flow {
        switch node.as(SyntaxEnum.self) {
        case .functionCallExpr(let call): return walkCall(call, states)
        case .closureExpr(let closure):
            return walkClosure(closure, .helper, states)
        case .declReferenceExpr(let reference):
            return names.union(carriers).contains(reference.baseName.text) ? Flow(states.excused) : Flow(states)
        case .tryExpr(let expression):
            var flow = walk(expression.expression, states)
            guard expression.questionOrExclamationMark == nil else { return flow }
            // A function that receives the continuation may have resumed it before throwing.
            let thrown = flow.next.contains(.handedOver) ? flow.next : states
            flow.exits.formUnion(leave(.thrown, at: expression, thrown).exits)
            return flow
        case .ternaryExpr(let ternary):
            return walkTernary(
                condition: [Syntax(ternary.condition)], yes: Syntax(ternary.thenExpression),
                no: [Syntax(ternary.elseExpression)], states)
        case .sequenceExpr(let sequence): return walkSequence(sequence, states)
        case .optionalBindingCondition(let binding) where binding.initializer == nil:
            // `let x` is short for `let x = x`, and hands nothing over.
            return Flow(states)
        case .variableDecl(let variable): return walkVariable(variable, states)
        case .token: return Flow(states)
        default:
            if !node.mentionsSomething(names.union(carriers), or: Self.exitKeywords, names: neverReturning) {
                return Flow(states)
            }
            return walk(all: node.children(viewMode: .sourceAccurate), states)
        }
    }

    private static let exitKeywords: Set<Keyword> = [.try, .throw, .return]

    private func walkVariable(_ variable: VariableDeclSyntax, _ states: Set<FlowState>) -> Flow {
        var flow = Flow(states)
        for binding in variable.bindings {
            guard let value = binding.initializer?.value else { continue }
            // A closure in a variable is a carrier: what mentions the variable hands the continuation over.
            if let closure = value.as(ClosureExprSyntax.self), let name = binding.pattern.simpleName,
                carriers.contains(name)
            {
                visitClosure(closure, .handler)
                continue
            }
            flow.then { walk(value, $0) }
        }
        return flow
    }

    private func walkSequence(_ sequence: SequenceExprSyntax, _ states: Set<FlowState>) -> Flow {
        let elements = Array(sequence.elements)
        if let index = elements.firstIndex(where: { $0.is(UnresolvedTernaryExprSyntax.self) }),
            let ternary = elements[index].as(UnresolvedTernaryExprSyntax.self)
        {
            return walkTernary(
                condition: elements[..<index].map { Syntax($0) }, yes: Syntax(ternary.thenExpression),
                no: elements[(index + 1)...].map { Syntax($0) }, states)
        }
        guard let assignment = elements.firstIndex(where: { $0.is(AssignmentExprSyntax.self) }) else {
            return walk(all: elements, states)
        }
        let target = elements[..<assignment]
        var flow = Flow(states)
        for value in elements[(assignment + 1)...] {
            if let closure = value.as(ClosureExprSyntax.self) {
                flow.then { walkClosure(closure, .oneOfSeveral, $0) }
            } else {
                flow.then { walk(value, $0) }
            }
        }
        if let chain = target.first?.optionalBase { flow.skipped(before: states, chain: chain) }
        return flow
    }

    private func walkTernary(
        condition: [Syntax], yes: Syntax, no: [Syntax], _ states: Set<FlowState>
    ) -> Flow {
        var flow = walk(all: condition, states)
        let isOnceCheck = condition.contains { self.isOnceCheck($0) }
        flow.then { states in
            merge(
                [
                    (Gap(position: yes.start, kind: .branch), walk(yes, states)),
                    (Gap(position: no.first?.start ?? yes.start, kind: .branch), walk(all: no, states)),
                ], isOnceCheck: isOnceCheck)
        }
        return flow
    }

    private func walkCall(_ call: FunctionCallExprSyntax, _ states: Set<FlowState>) -> Flow {
        if let member = call.calledExpression.as(MemberAccessExprSyntax.self),
            member.declName.baseName.text == "resume", let base = member.base, isContinuation(base)
        {
            var flow = walk(all: call.arguments, states)
            flow.then { Flow($0.resumed(at: call.start)) }
            return flow
        }
        if let name = call.calledName, Self.neverReturning.contains(name) || neverReturning.contains(name) {
            return .unreachable
        }
        let isImmediate = call.calledExpression.is(ClosureExprSyntax.self)
        var flow = isImmediate ? Flow(states) : walk(call.calledExpression, states)
        if isImmediate, let closure = call.calledExpression.as(ClosureExprSyntax.self) {
            flow.then { walkClosure(closure, .helper, $0) }
        }
        let before = flow.next
        let role = role(of: call)
        for argument in call.arguments {
            if let closure = argument.expression.as(ClosureExprSyntax.self) {
                flow.then { walkClosure(closure, role(argument.label?.text), $0) }
            } else {
                flow.then { walk(argument.expression, $0) }
            }
        }
        if let closure = call.trailingClosure { flow.then { walkClosure(closure, role(nil), $0) } }
        for closure in call.additionalTrailingClosures {
            flow.then { walkClosure(closure.closure, role(closure.label.text), $0) }
        }
        if let chain = call.calledExpression.optionalBase { flow.skipped(before: before, chain: chain) }
        return flow
    }

    private func isContinuation(_ expression: ExprSyntax) -> Bool {
        if let name = expression.identifier { return names.contains(name) }
        if let optional = expression.as(OptionalChainingExprSyntax.self) { return isContinuation(optional.expression) }
        if let forced = expression.as(ForceUnwrapExprSyntax.self) { return isContinuation(forced.expression) }
        return false
    }

    private func walkClosure(_ closure: ClosureExprSyntax, _ role: Role, _ states: Set<FlowState>) -> Flow {
        let visible = names.union(carriers).subtracting(closure.parameterNames)
        guard closure.statements.mentions(visible) else { return Flow(states) }
        // `$0` of an outer closure cannot be meant.
        if names == ["$0"], closure.signature?.parameterClause == nil { return Flow(states) }
        visitClosure(closure, role)
        return Flow(states.excused)
    }

    static let neverReturning: Set<String> = ["fatalError", "preconditionFailure", "exit", "abort", "dispatchMain"]
}

extension Flow {
    /// Adds the paths on which an optional chain was nil and a call or assignment didn't happen.
    fileprivate mutating func skipped(before: Set<FlowState>, chain: ExprSyntax) {
        guard before.contains(where: \.isPending), !next.allSatisfy(\.isPending) else { return }
        let name = chain.trimmedDescription
        let kind: Gap.Kind = name == "self" ? .selfIsGone : .nilChain(name)
        next.insert(.pending(Gap(position: chain.start, kind: kind)))
    }
}

extension ExprSyntax {
    /// The part of an optional chain that may be nil: `self` in `self?.service.load`.
    fileprivate var optionalBase: ExprSyntax? {
        if let optional = self.as(OptionalChainingExprSyntax.self) {
            return optional.expression.optionalBase ?? optional.expression
        }
        if let member = self.as(MemberAccessExprSyntax.self) { return member.base?.optionalBase }
        if let call = self.as(FunctionCallExprSyntax.self) { return call.calledExpression.optionalBase }
        if let call = self.as(SubscriptCallExprSyntax.self) { return call.calledExpression.optionalBase }
        return nil
    }
}

extension PatternSyntax {
    /// The name that the pattern binds, if it is only a name.
    var simpleName: String? { self.as(IdentifierPatternSyntax.self)?.identifier.text }
}

extension Syntax {
    fileprivate func mentionsSomething(
        _ continuation: Set<String>, or keywords: Set<Keyword>, names: Set<String>
    ) -> Bool {
        tokens(viewMode: .sourceAccurate).contains { token in
            switch token.tokenKind {
            case .identifier(let text), .dollarIdentifier(let text):
                continuation.contains(text) || names.contains(text) || FlowWalker.neverReturning.contains(text)
            case .keyword(let keyword): keywords.contains(keyword)
            default: false
            }
        }
    }
}
