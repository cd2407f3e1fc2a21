import SwiftSyntax

extension FlowWalker {
    /// How a call runs the closures that it is given, by their labels.
    func role(of call: FunctionCallExprSyntax) -> (String?) -> Role {
        let name = call.calledName ?? ""
        // A closure with a result tells the code around what it has done.
        if call.closures.contains(where: \.closure.returnsValue), name != "Task" { return { _ in .helper } }
        if name == "Task" || name == "detached" { return { _ in .task } }
        if Self.runsOnce.contains(name) { return { _ in .once } }
        if Self.runsInPlace.contains(name) { return { _ in .helper } }
        if Self.repeats(name) { return { _ in .oneOfSeveral } }
        let visible = names.union(carriers)
        let siblings = call.chain.flatMap(\.closures).filter { $0.closure.statements.mentions(visible) }
        if siblings.count > 1 { return { _ in .oneOfSeveral } }
        return { label in
            guard let label else { return .handler }
            return Self.repeats(label) ? .oneOfSeveral : .handler
        }
    }

    /// Functions that run their closure once, whatever happens.
    private static let runsOnce: Set<String> = [
        "async", "asyncAfter", "addTask", "addOperation",
        "withCheckedContinuation", "withCheckedThrowingContinuation", "withUnsafeContinuation",
        "withUnsafeThrowingContinuation", "withTaskCancellationHandler",
    ]

    /// Functions that run their closure before they return, so that the code around may look at what it has done.
    private static let runsInPlace: Set<String> = [
        "sync", "withLock", "withLockUnchecked", "withLockIfAvailable", "withUnsafeLock", "lock", "locked",
        "withCriticalRegion", "criticalRegion", "synchronized", "withValue", "mutate", "modify", "access", "read",
        "write", "map", "compactMap", "flatMap", "forEach", "filter", "first", "reduce", "contains", "allSatisfy",
        "withExtendedLifetime", "autoreleasepool", "concurrentPerform",
    ]

    /// Whether a name says that a closure is called again and again.
    private static func repeats(_ name: String) -> Bool {
        let lowercased = name.lowercased()
        if repeatingNames.contains(lowercased) { return true }
        if name.hasPrefix("on"), name.dropFirst(2).first?.isUppercase ?? false { return true }
        return repeatingWords.contains { lowercased.contains($0) }
    }

    private static let repeatingNames: Set<String> = [
        "sink", "timer", "on", "assign", "requestimage", "requestimagedata", "requestavasset", "notifyhandler",
    ]

    private static let repeatingWords = [
        "observ", "subscri", "listen", "scheduledtimer", "monitor", "progress", "update", "event", "receive", "watch",
        "register", "enumerate", "whenready", "changehandler", "statehandler", "delegate", "intercept",
    ]
}

extension FlowWalker.Role {
    /// The role of a closure in a closure that has another one: what is in a repeated closure is repeated too.
    func inside(_ outer: FlowWalker.Role) -> FlowWalker.Role {
        guard case .oneOfSeveral = outer else { return self }
        if case .helper = self { return self }
        return outer
    }
}

extension FunctionCallExprSyntax {
    /// The calls of the chain that this one belongs to: `load`, `done` and `catch` of `load().done { }.catch { }`.
    var chain: [FunctionCallExprSyntax] {
        var root = Syntax(self)
        while let parent = root.parent {
            if let member = parent.as(MemberAccessExprSyntax.self), member.base.map(Syntax.init) == root {
                root = parent
            } else if let call = parent.as(FunctionCallExprSyntax.self), Syntax(call.calledExpression) == root {
                root = parent
            } else if parent.is(OptionalChainingExprSyntax.self) || parent.is(ForceUnwrapExprSyntax.self) {
                root = parent
            } else {
                break
            }
        }
        var calls: [FunctionCallExprSyntax] = []
        var next = root.as(ExprSyntax.self)
        while let expression = next {
            if let call = expression.as(FunctionCallExprSyntax.self) {
                calls.append(call)
                next = call.calledExpression
            } else if let member = expression.as(MemberAccessExprSyntax.self) {
                next = member.base
            } else if let optional = expression.as(OptionalChainingExprSyntax.self) {
                next = optional.expression
            } else if let forced = expression.as(ForceUnwrapExprSyntax.self) {
                next = forced.expression
            } else {
                next = nil
            }
        }
        return calls
    }
}

extension ClosureExprSyntax {
    /// Whether a `return` of the closure has a result other than that of a call.
    fileprivate var returnsValue: Bool {
        statements.all(ReturnStmtSyntax.self).contains { statement in
            guard let value = statement.expression, !value.is(FunctionCallExprSyntax.self) else { return false }
            return Syntax(statement).enclosingClosure(inside: Syntax(self)) == nil
        }
    }
}
