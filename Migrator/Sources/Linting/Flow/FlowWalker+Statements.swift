import SwiftSyntax

extension FlowWalker {
    func walk(_ node: some SyntaxProtocol, _ states: Set<FlowState>) -> Flow {
        let label = pendingLabel
        pendingLabel = nil
        switch Syntax(node).as(SyntaxEnum.self) {
        case .codeBlock(let block): return walk(statements: block.statements[...], states)
        case .codeBlockItem(let item): return walk(item.item, states)
        case .expressionStmt(let statement): return walk(statement.expression, states)
        case .labeledStmt(let labeled):
            pendingLabel = labeled.label.text
            return walk(labeled.statement, states)
        case .returnStmt(let statement):
            var flow = Flow(states)
            if let expression = statement.expression { flow.then { walk(expression, $0) } }
            flow.then { leave(.returned, at: statement, $0) }
            return flow
        case .throwStmt(let statement):
            var flow = walk(statement.expression, states)
            flow.then { leave(.thrown, at: statement, $0) }
            return flow
        case .breakStmt(let statement): return leave(.broke(statement.label?.text), at: statement, states)
        case .continueStmt(let statement): return leave(.continued(statement.label?.text), at: statement, states)
        case .fallThroughStmt(let statement): return leave(.fellThrough, at: statement, states)
        case .guardStmt(let statement): return walkGuard(statement, states)
        case .ifExpr(let statement): return walkIf(statement, states, label: label)
        case .switchExpr(let statement): return walkSwitch(statement, states, label: label)
        case .doStmt(let statement): return walkDo(statement, states, label: label)
        case .whileStmt(let loop):
            let isEndless = loop.conditions.trimmedDescription == "true"
            return walkLoop(
                loop.body, states, label: label, runsAtLeastOnce: false, isEndless: isEndless, head: loop.conditions)
        case .repeatStmt(let loop):
            return walkLoop(
                loop.body, states, label: label, runsAtLeastOnce: true,
                isEndless: loop.condition.trimmedDescription == "true", head: loop.condition)
        case .forStmt(let loop):
            return walkLoop(
                loop.body, states, label: label, runsAtLeastOnce: false, isEndless: false, head: loop.sequence)
        case .ifConfigDecl(let config): return walkConfiguration(config, states)
        case .deferStmt: return Flow(states)
        case .functionDecl, .structDecl, .classDecl, .enumDecl, .actorDecl, .protocolDecl, .extensionDecl:
            return Flow(states)
        default: return walkExpression(Syntax(node), states)
        }
    }

    private func walkGuard(_ statement: GuardStmtSyntax, _ states: Set<FlowState>) -> Flow {
        var flow = walk(all: statement.conditions, states)
        let kind: Gap.Kind = statement.conditions.bindSelf ? .selfIsGone : .guardElse
        let isOnceCheck = isOnceCheck(statement.conditions)
        var otherwise = Flow.unreachable
        if flow.isReachable { otherwise = walk(block: statement.body, flow.next, as: kind) }
        if isOnceCheck { otherwise.excuse() }
        flow.exits.formUnion(otherwise.exits)
        return flow
    }

    private func walkIf(_ statement: IfExprSyntax, _ states: Set<FlowState>, label: String?) -> Flow {
        var flow = walk(all: statement.conditions, states)
        let isOnceCheck = isOnceCheck(statement.conditions)
        let bindsSelf = statement.conditions.bindSelf
        let before = flow.next
        flow.then { states in
            var taken = walk(block: statement.body, states, as: .branch)
            var other = Flow(states)
            var otherGap = Gap(position: statement.start, kind: bindsSelf ? .selfIsGone : .noElse)
            switch statement.elseBody {
            case .codeBlock(let block)?:
                other = walk(block: block, states, as: bindsSelf ? .selfIsGone : .branch)
                otherGap = Gap(position: block.start, kind: bindsSelf ? .selfIsGone : .branch)
            case .ifExpr(let next)?:
                other = walkIf(next, states, label: nil)
                otherGap = Gap(position: next.start, kind: .noElse)
            case nil: break
            }
            if isOnceCheck {
                taken.excuse()
                other.excuse()
            }
            let takenProgresses = taken.progresses
            let otherProgresses = other.progresses && other.next != before
            if otherProgresses { taken.mark(Gap(position: statement.body.start, kind: .branch)) }
            if takenProgresses { other.markUnmarked(otherGap) }
            taken.merge(other)
            return taken
        }
        return flow.leavingBreaks(label: label, includesUnlabeled: false)
    }

    private func walkSwitch(_ statement: SwitchExprSyntax, _ states: Set<FlowState>, label: String?) -> Flow {
        var flow = walk(statement.subject, states)
        let isOnceCheck = isOnceCheck(statement.subject)
        flow.then { states in
            var branches: [(gap: Gap, flow: Flow)] = []
            var fallen: Set<FlowState> = []
            for element in statement.cases {
                guard let branch = element.as(SwitchCaseSyntax.self) else { continue }
                let gap = Gap(position: branch.start, kind: .switchCase)
                self.branches.append(.switchCase)
                var body = walk(statements: branch.statements[...], states.union(fallen))
                self.branches.removeLast()
                fallen = Set(body.exits.filter { $0.kind == .fellThrough }.map(\.state))
                body.exits = body.exits.filter { $0.kind != .fellThrough }
                branches.append((gap, body.leavingBreaks(label: label, includesUnlabeled: true)))
            }
            if branches.isEmpty { return Flow(states) }
            return merge(branches, isOnceCheck: isOnceCheck)
        }
        return flow
    }

    private func walkDo(_ statement: DoStmtSyntax, _ states: Set<FlowState>, label: String?) -> Flow {
        var body = walk(block: statement.body, states)
        guard !statement.catchClauses.isEmpty else {
            return body.leavingBreaks(label: label, includesUnlabeled: false)
        }
        let thrown = Set(body.exits.filter { $0.kind == .thrown }.map(\.state))
        let isExhaustive = statement.catchClauses.contains(where: \.catchesAll)
        if isExhaustive { body.exits = body.exits.filter { $0.kind != .thrown } }
        guard !thrown.isEmpty else { return body.leavingBreaks(label: label, includesUnlabeled: false) }
        var branches = [(gap: Gap(position: statement.body.start, kind: .branch), flow: body)]
        for clause in statement.catchClauses {
            var caught = walk(block: clause.body, thrown, as: .catchClause)
            if isOnceCheck(clause.catchItems) { caught.excuse() }
            branches.append((Gap(position: clause.start, kind: .catchClause), caught))
        }
        return merge(branches, isOnceCheck: false).leavingBreaks(label: label, includesUnlabeled: false)
    }

    private func walkLoop(
        _ body: CodeBlockSyntax, _ states: Set<FlowState>, label: String?, runsAtLeastOnce: Bool, isEndless: Bool,
        head: some SyntaxProtocol
    ) -> Flow {
        var flow = runsAtLeastOnce ? Flow(states) : walk(head, states)
        flow.then { states in
            let walked = walk(block: body, states, as: .loop)
            let first = walked.enteringLoop(label: label)
            let resumedInside = first.again.compactMap { state -> AbsolutePosition? in
                if case .resumed(let position) = state, !states.contains(state) { position } else { nil }
            }
            if !isOnceCheck(head) { resumedInside.forEach(reportLoop) }
            var result = Flow.unreachable
            result.exits = first.flow.exits
            result.next = first.flow.next
            if !isEndless {
                result.next.formUnion(first.again)
                if !runsAtLeastOnce {
                    var skipped = Flow(states)
                    if walked.progresses {
                        skipped.mark(Gap(position: body.parent?.start ?? body.start, kind: .loop))
                    }
                    if isOnceCheck(head) { skipped.excuse() }
                    result.merge(skipped)
                }
            }
            return result
        }
        return flow
    }

    private func walkConfiguration(_ config: IfConfigDeclSyntax, _ states: Set<FlowState>) -> Flow {
        var merged = Flow.unreachable
        var wasWalked = false
        for clause in config.clauses {
            guard case .statements(let statements)? = clause.elements else { continue }
            merged.merge(walk(statements: statements[...], states))
            wasWalked = true
        }
        // Without `#else` the other configurations have another body or none: no code says what happens there.
        return wasWalked ? merged : Flow(states)
    }

    /// Joins branches, and notes each branch that skips a call of `resume` that another branch makes.
    func merge(_ branches: [(gap: Gap, flow: Flow)], isOnceCheck: Bool) -> Flow {
        var merged = Flow.unreachable
        for (index, branch) in branches.enumerated() {
            var flow = branch.flow
            if isOnceCheck { flow.excuse() }
            let others = branches.indices.contains { $0 != index && branches[$0].flow.progresses }
            if others { flow.markUnmarked(branch.gap) }
            merged.merge(flow)
        }
        return merged
    }
}
