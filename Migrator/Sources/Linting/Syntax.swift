import SwiftSyntax

extension SourceFileSyntax {
    /// The modules that the file imports, those in `#if` included.
    var importedModules: [String] {
        let collector = ImportCollector(viewMode: .sourceAccurate)
        collector.walk(self)
        return collector.modules
    }

    /// Whether the file imports a module for tests.
    var isTest: Bool { !importedModules.allSatisfy { !["XCTest", "Testing", "Nimble", "Quick"].contains($0) } }
}

private final class ImportCollector: SyntaxVisitor {
    var modules: [String] = []

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        if let first = node.path.first { modules.append(first.name.text) }
        return .skipChildren
    }
    override func visit(_ node: MemberBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

extension ExprSyntax {
    /// The name if the expression is a plain identifier.
    var identifier: String? { self.as(DeclReferenceExprSyntax.self)?.baseName.text }

    /// The last name of a chain: `value` in `self.load().value`.
    var lastName: String? {
        if let name = identifier { return name }
        if let member = self.as(MemberAccessExprSyntax.self) { return member.declName.baseName.text }
        if let generic = self.as(GenericSpecializationExprSyntax.self) { return generic.expression.lastName }
        if let optional = self.as(OptionalChainingExprSyntax.self) { return optional.expression.lastName }
        if let forced = self.as(ForceUnwrapExprSyntax.self) { return forced.expression.lastName }
        return nil
    }
}

extension FunctionCallExprSyntax {
    /// The name of the function that is called, without what stands before it.
    var calledName: String? { calledExpression.lastName }

    /// The closures that the call is given, inside the parentheses and after them, with their labels.
    var closures: [(label: String?, closure: ClosureExprSyntax)] {
        var found: [(label: String?, closure: ClosureExprSyntax)] = arguments.compactMap { argument in
            argument.expression.as(ClosureExprSyntax.self).map { (argument.label?.text, $0) }
        }
        if let trailingClosure { found.append((nil, trailingClosure)) }
        found += additionalTrailingClosures.map { ($0.label.text, $0.closure) }
        return found
    }
}

extension ClosureExprSyntax {
    /// The names of the parameters, and none for `$0`.
    var parameterNames: [String] {
        switch signature?.parameterClause {
        case .simpleInput(let list)?: list.map { $0.name.text }
        case .parameterClause(let clause)?:
            clause.parameters.map { ($0.secondName ?? $0.firstName).text }
        case nil: []
        }
    }

    /// Whether the closure captures `self` weakly or unowned.
    var capturesSelfWeakly: Bool {
        signature?.capture?.items.contains { item in
            item.specifier?.specifier.tokenKind == .keyword(.weak)
                && (item.name.text == "self" || item.initializer?.value.trimmedDescription == "self")
        } ?? false
    }
}

extension SequenceExprSyntax {
    /// The last name on the left of an assignment: `isDone` in `self.isDone = true`.
    var assignedName: String? {
        let elements = Array(self.elements)
        guard let index = elements.firstIndex(where: { $0.is(AssignmentExprSyntax.self) }), index > 0 else {
            return nil
        }
        return elements[index - 1].lastName
    }
}

extension SyntaxProtocol {
    /// Whether a name occurs as an expression somewhere below.
    func mentions(_ names: Set<String>) -> Bool {
        tokens(viewMode: .sourceAccurate).contains { token in
            switch token.tokenKind {
            case .identifier(let text), .dollarIdentifier(let text):
                names.contains(text)
            default: false
            }
        }
    }

    /// All nodes of a type below this one, itself included, in the order of the text.
    func all<Node: SyntaxProtocol>(_ type: Node.Type) -> [Node] {
        let collector = NodeCollector<Node>(viewMode: .sourceAccurate)
        collector.walk(self)
        return collector.nodes
    }

    /// Where the first token begins.
    var start: AbsolutePosition { positionAfterSkippingLeadingTrivia }
}

private final class NodeCollector<Node: SyntaxProtocol>: SyntaxAnyVisitor {
    var nodes: [Node] = []

    override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
        if let found = node.as(Node.self) { nodes.append(found) }
        return .visitChildren
    }
}

extension Syntax {
    /// The statements that a variable belongs to.
    ///
    /// Nil for a property, and for a global variable.
    var localScope: Syntax? {
        var node = parent
        while let current = node {
            switch current.kind {
            case .memberBlock, .sourceFile: return nil
            case .codeBlock, .closureExpr, .accessorBlock, .switchCase: return current
            default: node = current.parent
            }
        }
        return nil
    }

    func declarations(of name: String) -> Int {
        all(PatternBindingSyntax.self).count { $0.pattern.simpleName == name }
    }
}
