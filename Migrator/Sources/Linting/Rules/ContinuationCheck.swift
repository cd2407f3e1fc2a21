import SwiftSyntax

/// Follows a continuation through its closure and through all closures that capture it.
final class ContinuationCheck {
    private let scope: ContinuationScope
    private let carriers: Set<String>
    private let flags: Set<String>
    private let neverReturning: Set<String>
    private let line: (AbsolutePosition) -> Int
    private(set) var notResumed: [Issue] = []
    private(set) var resumedTwice: [Issue] = []

    init(_ scope: ContinuationScope, neverReturning: Set<String>, line: @escaping (AbsolutePosition) -> Int) {
        self.scope = scope
        self.neverReturning = neverReturning
        self.line = line
        carriers = Self.carriers(in: scope)
        flags = Self.flags(in: scope.body).union(Self.hasOtherClosure(scope) ? ["isCancelled"] : [])
    }

    func run() {
        guard scope.body.mentions([scope.name]) else {
            return report(Gap(position: scope.position, kind: .branch), isWhole: true, role: .once)
        }
        check(scope.body, shadowing: [], role: .once, start: scope.position)
        for function in scope.body.all(FunctionDeclSyntax.self) where carriers.contains(function.name.text) {
            guard let body = function.body else { continue }
            check(body.statements, shadowing: [], role: .oneOfSeveral, start: function.start)
        }
    }

    private func check(
        _ body: CodeBlockItemListSyntax, shadowing: Set<String>, role: FlowWalker.Role, start: AbsolutePosition
    ) {
        let walker = FlowWalker(
            names: Set([scope.name]).subtracting(shadowing), carriers: carriers.subtracting(shadowing), flags: flags,
            neverReturning: neverReturning,
            visitClosure: { [unowned self] closure, inner in
                check(
                    closure.statements, shadowing: shadowing.union(closure.parameterNames),
                    role: inner.inside(role),
                    start: closure.start)
            },
            reportLoop: { [unowned self] in reportLoop($0) })
        let flow = walker.walk(body: body)
        for state in flow.next {
            guard case .pending(let gap) = state else { continue }
            report(gap ?? Gap(position: start, kind: .branch), isWhole: gap == nil, role: role)
        }
        for exit in flow.exits where exit.state.isPending {
            if exit.kind == .thrown, role != .task { continue }
            reportExit(exit, role: role)
        }
        reportTwice(flow)
    }

    private func reportExit(_ exit: FlowExit, role: FlowWalker.Role) {
        if exit.kind == .thrown {
            return report(Gap(position: exit.position, kind: .thrown), isWhole: false, role: role)
        }
        guard reports(exit.branch, in: role) else { return }
        if exit.branch == .selfIsGone {
            return report(Gap(position: exit.position, kind: .selfIsGone), isWhole: false, role: role)
        }
        add("this return doesn't resume `\(scope.name)`, so the task waits forever", at: exit.position)
    }

    private func reports(_ kind: Gap.Kind?, in role: FlowWalker.Role) -> Bool {
        switch role {
        case .once, .task, .handler: true
        case .oneOfSeveral: kind == .selfIsGone
        case .helper: false
        }
    }

    private func report(_ gap: Gap, isWhole: Bool, role: FlowWalker.Role) {
        guard reports(gap.kind, in: role) else { return }
        // The function has set it a few lines before.
        if case .nilChain(let chain) = gap.kind, scope.assignedBefore.contains(chain) { return }
        let name = scope.name
        if isWhole { return add("nothing here resumes `\(name)`, so the task waits forever", at: gap.position) }
        let what =
            switch gap.kind {
            case .selfIsGone: "`\(name)` isn't resumed if `self` is gone"
            case .nilChain(let chain): "`\(name)` isn't resumed if `\(chain)` is nil, because the call is skipped"
            case .noElse: "`\(name)` isn't resumed if this condition is false"
            case .branch: "`\(name)` isn't resumed in this branch"
            case .guardElse: "`\(name)` isn't resumed in this `else`"
            case .switchCase: "`\(name)` isn't resumed in this case"
            case .catchClause: "`\(name)` isn't resumed in this `catch`"
            case .loop: "`\(name)` isn't resumed if this loop ends or never runs"
            case .thrown: "`\(name)` isn't resumed if this throws: the `Task` drops the error"
            }
        add("\(what), and the task waits forever", at: gap.position)
    }

    private func add(_ message: String, at position: AbsolutePosition) {
        let advice =
            "resume it on this path too, or wrap the call: `try await future { load(completion: $0) }.value` "
            + "throws if its handler is never called"
        notResumed.append(Issue(position: position, message: message, advice: advice))
    }

    /// Reports a first `resume` if each path from there comes to a second one.
    private func reportTwice(_ flow: Flow) {
        let states = flow.next.union(flow.exits.map(\.state))
        for case .twice(let first, let second) in states {
            guard !states.contains(.resumed(first)) else { continue }
            resumedTwice.append(
                Issue(
                    position: second,
                    message: "`\(scope.name)` is resumed a second time, after line \(line(first)): this crashes",
                    advice: "leave after the first `resume` with `return`, or wrap the call in `future { … }`, which "
                        + "keeps the first result and reports the second"))
        }
    }

    private func reportLoop(_ position: AbsolutePosition) {
        resumedTwice.append(
            Issue(
                position: position,
                message: "`\(scope.name)` is resumed again if the loop goes on: this crashes",
                advice: "leave the loop after `resume` with `return` or `break`"))
    }

    /// Local functions, and variables that hold closures, in which the continuation is used.
    private static func carriers(in scope: ContinuationScope) -> Set<String> {
        let functions = scope.body.all(FunctionDeclSyntax.self)
        let bindings = scope.body.all(PatternBindingSyntax.self)
        var carriers: Set<String> = []
        var before = -1
        while before != carriers.count {
            before = carriers.count
            let known = carriers.union([scope.name])
            for function in functions where function.body?.statements.mentions(known) ?? false {
                carriers.insert(function.name.text)
            }
            for binding in bindings {
                guard let name = binding.pattern.simpleName,
                    let closure = binding.initializer?.value.as(ClosureExprSyntax.self),
                    closure.statements.mentions(known)
                else { continue }
                carriers.insert(name)
            }
        }
        return carriers.subtracting([scope.name])
    }

    /// Whether two closures beside each other use the continuation: one that resumes it may cancel the other's task.
    private static func hasOtherClosure(_ scope: ContinuationScope) -> Bool {
        let closures = scope.body.all(ClosureExprSyntax.self).filter { $0.statements.mentions([scope.name]) }
        guard let first = closures.first else { return false }
        return closures.contains { $0.position >= first.endPosition }
    }

    /// The names on the left of an assignment, and the local functions and closures, which may look at such a name.
    private static func flags(in body: CodeBlockItemListSyntax) -> Set<String> {
        var flags: Set<String> = []
        for sequence in body.all(SequenceExprSyntax.self) {
            if let name = sequence.assignedName { flags.insert(name) }
        }
        flags.formUnion(body.all(FunctionDeclSyntax.self).map(\.name.text))
        for binding in body.all(PatternBindingSyntax.self)
        where binding.initializer?.value.is(ClosureExprSyntax.self) ?? false {
            if let name = binding.pattern.simpleName { flags.insert(name) }
        }
        return flags
    }
}
