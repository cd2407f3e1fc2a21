import SwiftSyntax

/// Follows all paths through a closure and notes what becomes of a continuation on each.
final class FlowWalker {
    /// How a closure is called, which decides how much is known about its paths.
    enum Role {
        /// Once: the closure of the continuation, of a `Task`, of `DispatchQueue.async`.
        case once
        /// A `Task`, which swallows what its closure throws.
        case task
        /// By a function that is given it. It calls it once, if the name doesn't say otherwise.
        case handler
        /// Any number of times, or one of several closures: one call need not resume.
        case oneOfSeveral
        /// By the code around, which looks at the result.
        case helper
    }

    /// The names that stand for the continuation.
    let names: Set<String>
    /// Local functions and variables that hold closures with the continuation.
    ///
    /// Mentioning one hands it over.
    let carriers: Set<String>
    /// Names that are assigned somewhere in the closure, as flags are, and its local functions and closures, which may
    /// keep a flag.
    let flags: Set<String>
    /// Functions of the file that return `Never`.
    let neverReturning: Set<String>
    /// Called for each closure that captures the continuation.
    let visitClosure: (ClosureExprSyntax, Role) -> Void
    /// Called for a `resume` in a loop that goes on.
    let reportLoop: (AbsolutePosition) -> Void

    /// The branches around the current statement, from the outside.
    var branches: [Gap.Kind] = []
    /// The label of the statement that comes next.
    var pendingLabel: String?

    init(
        names: Set<String>, carriers: Set<String>, flags: Set<String>, neverReturning: Set<String>,
        visitClosure: @escaping (ClosureExprSyntax, Role) -> Void, reportLoop: @escaping (AbsolutePosition) -> Void
    ) {
        self.names = names
        self.carriers = carriers
        self.flags = flags
        self.neverReturning = neverReturning
        self.visitClosure = visitClosure
        self.reportLoop = reportLoop
    }

    /// Follows the statements of a closure or function.
    func walk(body: CodeBlockItemListSyntax) -> Flow {
        walk(statements: body[...], [.pending(nil)])
    }

    func walk(statements: Slice<CodeBlockItemListSyntax>, _ states: Set<FlowState>) -> Flow {
        var flow = Flow(states)
        var rest = statements
        while let item = rest.popFirst(), flow.isReachable {
            guard let deferred = item.item.as(DeferStmtSyntax.self) else {
                flow.then { walk(item.item, $0) }
                continue
            }
            let following = rest
            flow.then { states in
                finish(walk(statements: following, states), with: deferred.body.statements)
            }
            break
        }
        return flow
    }

    /// Runs a `defer` on all paths that leave its scope.
    private func finish(_ flow: Flow, with deferred: CodeBlockItemListSyntax) -> Flow {
        var finished = Flow.unreachable
        if flow.isReachable { finished.merge(walk(statements: deferred[...], flow.next)) }
        for exit in flow.exits {
            for state in walk(statements: deferred[...], [exit.state]).next {
                var exit = exit
                exit.state = state
                finished.exits.insert(exit)
            }
        }
        return finished
    }

    func walk(block: CodeBlockSyntax, _ states: Set<FlowState>, as kind: Gap.Kind? = nil) -> Flow {
        if let kind { branches.append(kind) }
        defer { if kind != nil { branches.removeLast() } }
        return walk(statements: block.statements[...], states)
    }

    func leave(_ kind: FlowExit.Kind, at node: some SyntaxProtocol, _ states: Set<FlowState>) -> Flow {
        var flow = Flow.unreachable
        for state in states {
            flow.exits.insert(FlowExit(kind: kind, state: state, position: node.start, branch: branches.last))
        }
        return flow
    }

    /// Walks a list one after the other.
    func walk(all nodes: some Sequence<some SyntaxProtocol>, _ states: Set<FlowState>) -> Flow {
        var flow = Flow(states)
        for node in nodes { flow.then { walk(Syntax(node), $0) } }
        return flow
    }

    /// Whether a condition looks at a flag that says whether the continuation was resumed, so that the paths that
    /// don't resume are those on which another call has.
    func isOnceCheck(_ condition: some SyntaxProtocol) -> Bool {
        condition.tokens(viewMode: .sourceAccurate).contains { token in
            guard case .identifier(let name) = token.tokenKind else { return false }
            if flags.contains(name) || names.contains(name) || carriers.contains(name) { return true }
            let lowercased = name.lowercased()
            return Self.onceWords.contains { lowercased.contains($0) }
        }
    }

    private static let onceWords = [
        "resum", "exchange", "testandset", "alreadyc", "claim", "markcomplet", "markfinish", "trycomplete", "tryfinish",
        "iscompleted", "didcomplete", "hascompleted", "isfinished",
        "didfinish", "hasfinished", "didcall", "hascalled", "hasfired", "didfire", "isdone", "once",
    ]
}
