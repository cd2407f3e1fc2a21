import SwiftSyntax

/// A chain of calls on one value: `firstly { a() }.then { b($0) }.catch { c($0) }`.
struct Chain {
    /// One call of the chain.
    struct Link {
        var name: TokenSyntax
        var call: FunctionCallExprSyntax
    }

    /// The calls from left to right, properties left out.
    var links: [Link] = []
    /// The names from left to right, properties included.
    var names: [String] = []
    /// The start of the chain.
    var base: ExprSyntax
    /// The whole chain.
    var root: ExprSyntax

    /// The chain that a call belongs to.
    init(around call: FunctionCallExprSyntax) {
        var root = ExprSyntax(call)
        while let outer = root.nextInChain { root = outer }
        self.init(root: root)
    }

    /// The chain from its start to a call.
    init(upTo call: FunctionCallExprSyntax) { self.init(root: ExprSyntax(call)) }

    /// The chain that ends with an expression.
    init(root: ExprSyntax) {
        self.root = root
        base = root
        base = collect(from: root, isInCondition: false)
        links.reverse()
        names.reverse()
    }

    /// Adds the calls from right to left, those in `#if` too, and returns the expression before them.
    private mutating func collect(from last: ExprSyntax, isInCondition: Bool) -> ExprSyntax {
        var next = last
        while true {
            let call = next.as(FunctionCallExprSyntax.self)
            if let member = (call?.calledExpression ?? next).as(MemberAccessExprSyntax.self) {
                guard member.base != nil || isInCondition else { return next }
                if let call { links.append(Link(name: member.declName.baseName, call: call)) }
                names.append(member.declName.baseName.text)
                guard let base = member.base else { return next }
                next = base
            } else if let optional = next.as(OptionalChainingExprSyntax.self) {
                next = optional.expression
            } else if let condition = next.as(PostfixIfConfigExprSyntax.self) {
                for case .postfixExpression(let links)? in condition.config.clauses.reversed().map(\.elements) {
                    _ = collect(from: links, isInCondition: true)
                }
                guard let base = condition.base else { return next }
                next = base
            } else {
                return next
            }
        }
    }

    /// The name of the function that the chain begins with: `firstly` in `firstly { a() }.then { b($0) }`.
    var baseName: String? {
        if let call = base.as(FunctionCallExprSyntax.self) { return call.calledExpression.plainName }
        return base.plainName
    }

    /// What the first call is called on: `self.taps` in `self.taps.map { f($0) }`.
    var receiver: ExprSyntax { links.first?.call.calledExpression.as(MemberAccessExprSyntax.self)?.base ?? base }

    /// The links after a call.
    func links(after call: FunctionCallExprSyntax) -> ArraySlice<Link> {
        links.drop { $0.call.id != call.id }.dropFirst()
    }

    /// Whether the chain is a statement whose value isn't used.
    var isStatement: Bool { Syntax(root).isUnusedStatement }
}

extension Syntax {
    /// Whether this is a statement, and not the only one of a body, whose value the body may have.
    fileprivate var isUnusedStatement: Bool {
        var node = parent
        while let parent = node, parent.is(ExpressionStmtSyntax.self) { node = parent.parent }
        guard let item = node?.as(CodeBlockItemSyntax.self), let list = item.parent?.as(CodeBlockItemListSyntax.self),
            let body = list.parent
        else { return false }
        guard list.count == 1 else { return true }
        if let closure = body.as(ClosureExprSyntax.self) { return closure.hasNoResult }
        if body.is(SwitchCaseSyntax.self) { return body.parent?.parent?.isUnusedStatement ?? false }
        guard var owner = body.parent else { return false }
        if let function = owner.as(FunctionDeclSyntax.self) { return function.signature.returnClause == nil }
        if let accessor = owner.as(AccessorDeclSyntax.self) { return accessor.accessorSpecifier.text != "get" }
        guard owner.is(IfExprSyntax.self) else { return body.is(CodeBlockSyntax.self) }
        while let outer = owner.parent, outer.is(IfExprSyntax.self) { owner = outer }
        return owner.isUnusedStatement
    }
}

extension ExprSyntax {
    /// The expression around this one that continues its chain.
    fileprivate var nextInChain: ExprSyntax? {
        guard let parent else { return nil }
        if let member = parent.as(MemberAccessExprSyntax.self), member.base?.id == id { return ExprSyntax(member) }
        if let call = parent.as(FunctionCallExprSyntax.self), call.calledExpression.id == id { return ExprSyntax(call) }
        if let optional = parent.as(OptionalChainingExprSyntax.self) { return ExprSyntax(optional) }
        if let condition = parent.as(PostfixIfConfigExprSyntax.self), condition.base?.id == id {
            return ExprSyntax(condition)
        }
        // The links in `#if`.
        return parent.as(IfConfigClauseSyntax.self)?.parent?.parent?.parent?.as(PostfixIfConfigExprSyntax.self)
            .map { ExprSyntax($0) }
    }

    /// The name of an identifier, with or without generic arguments.
    var plainName: String? {
        if let reference = self.as(DeclReferenceExprSyntax.self) { return reference.baseName.text }
        if let generic = self.as(GenericSpecializationExprSyntax.self) { return generic.expression.plainName }
        return nil
    }

    /// The last name of `taps`, `self.taps`, `taps?` and `self?.taps`.
    var lastName: String? {
        if let optional = self.as(OptionalChainingExprSyntax.self) { return optional.expression.lastName }
        return plainName ?? self.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    }

    /// Whether a call can follow without parentheses: `load()`, `user.name`, `[a, b]`.
    var canBeBase: Bool {
        if let call = self.as(FunctionCallExprSyntax.self) {
            return call.trailingClosure == nil || call.calledExpression.is(MemberAccessExprSyntax.self)
        }
        return self.is(DeclReferenceExprSyntax.self) || self.is(MemberAccessExprSyntax.self)
            || self.is(ArrayExprSyntax.self) || self.is(SubscriptCallExprSyntax.self) || self.is(TupleExprSyntax.self)
    }
}

extension FunctionCallExprSyntax {
    /// The chain with the `#if` that this call begins: `.print()` in `load() #if DEBUG .print() #endif .done { }`.
    var conditionalChain: PostfixIfConfigExprSyntax? {
        guard calledExpression.as(MemberAccessExprSyntax.self).map({ $0.base == nil }) ?? false else { return nil }
        let outer = sequence(first: ExprSyntax(self), next: \.nextInChain).first {
            $0.is(PostfixIfConfigExprSyntax.self)
        }
        return outer?.as(PostfixIfConfigExprSyntax.self)
    }

    /// The closure, if it is the only one, inside the parentheses or after them.
    var onlyClosure: ClosureExprSyntax? {
        guard additionalTrailingClosures.isEmpty else { return nil }
        if let trailingClosure { return trailingClosure }
        return arguments.last?.expression.as(ClosureExprSyntax.self)
    }

    /// An argument by its label.
    func argument(_ label: String) -> LabeledExprSyntax? { arguments.first { $0.label?.text == label } }
}

extension ClosureExprSyntax {
    /// The names of the parameters that are written.
    var parameterNames: [String] {
        switch signature?.parameterClause {
        case .simpleInput(let list)?: list.map { $0.name.text }
        case .parameterClause(let clause)?: clause.parameters.map { ($0.secondName ?? $0.firstName).text }
        case nil: []
        }
    }

    /// The expression, if it is the only statement, with or without `return`.
    var onlyExpression: ExprSyntax? {
        guard statements.count == 1, let item = statements.first?.item else { return nil }
        return item.as(ExprSyntax.self) ?? item.as(ExpressionStmtSyntax.self)?.expression
            ?? item.as(ReturnStmtSyntax.self)?.expression
    }

    /// Whether the closure is given to a call whose closure returns nothing.
    fileprivate var hasNoResult: Bool {
        if let result = signature?.returnClause?.type.trimmedDescription { return ["Void", "()"].contains(result) }
        let call = parent?.as(FunctionCallExprSyntax.self) ?? parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
        if let type = call?.calledExpression.plainName { return ["Promise", "Guarantee"].contains(type) }
        guard let name = call?.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text else {
            return false
        }
        return ["done", "catch", "ensure", "finally", "get", "tap", "sink", "async", "asyncAfter"].contains(name)
    }

    /// Whether the closure throws errors out of itself.
    var throwsErrors: Bool { ThrowFinder.finds(in: Syntax(statements)) }
}

private final class ThrowFinder: SyntaxVisitor {
    private var found = false

    static func finds(in node: Syntax) -> Bool {
        let finder = ThrowFinder(viewMode: .sourceAccurate)
        finder.walk(node)
        return finder.found
    }

    override func visit(_ node: TryExprSyntax) -> SyntaxVisitorContinueKind {
        if node.questionOrExclamationMark == nil { found = true }
        return .visitChildren
    }
    override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind {
        found = true
        return .skipChildren
    }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: DoStmtSyntax) -> SyntaxVisitorContinueKind {
        // A `do` with a `catch` keeps its errors, as far as a compiler-free look can tell.
        guard !node.catchClauses.isEmpty else { return .visitChildren }
        walk(node.catchClauses)
        return .skipChildren
    }
}
