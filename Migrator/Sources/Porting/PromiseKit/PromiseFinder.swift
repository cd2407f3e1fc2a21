import SwiftSyntax

/// Finds the names of promises, and the declaration of a generic type `Result`.
final class PromiseFinder: SyntaxVisitor {
    private(set) var facts = PortFacts()

    init(_ file: SourceFileSyntax) {
        super.init(viewMode: .sourceAccurate)
        walk(file)
    }

    override func visit(_ node: GenericParameterClauseSyntax) -> SyntaxVisitorContinueKind {
        if node.parent?.asProtocol((any NamedDeclSyntax).self)?.name.text == "Result" { facts.declaresResult = true }
        return .skipChildren
    }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        note(node.pattern.trimmedDescription, node.typeAnnotation?.type)
        return .visitChildren
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        note((node.secondName ?? node.firstName).text, node.type)
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        note(node.name.text, node.signature.returnClause?.type)
        return .visitChildren
    }

    private func note(_ name: String, _ type: TypeSyntax?) {
        let type = type.map { $0.as(OptionalTypeSyntax.self)?.wrappedType ?? $0 }?.trimmedDescription ?? ""
        facts.promises[name, default: []].insert(type.namesPromise ? type : "")
    }
}
