import SourceFiles
import SwiftSyntax

/// The calls and edits that the visitors of all libraries collect.
class PortingVisitor: SyntaxVisitor {
    struct Found {
        var position: AbsolutePosition
        var row: Row
        var outcome: PortedCall.Outcome
    }
    private(set) var calls: [Found] = []
    private(set) var edits: [Edit] = []
    /// The notes for the whole file, with the first place of each.
    private(set) var remarks: [String: AbsolutePosition] = [:]
    /// Whether the new text needs the second module.
    var usesInterop = false
    private var constrained: Set<AbsolutePosition> = []
    private var constrainedTypes: [SyntaxIdentifier: Set<String>] = [:]

    func rewrite(_ row: Row, at node: some SyntaxProtocol, _ edits: [Edit]) {
        calls.append(Found(position: node.positionAfterSkippingLeadingTrivia, row: row, outcome: .rewritten))
        self.edits += edits
    }

    func keep(_ row: Row, at node: some SyntaxProtocol) {
        calls.append(Found(position: node.positionAfterSkippingLeadingTrivia, row: row, outcome: .same))
    }

    func leave(_ row: Row, at node: some SyntaxProtocol, because reason: String) {
        calls.append(Found(position: node.positionAfterSkippingLeadingTrivia, row: row, outcome: .left(reason)))
    }

    /// Adds a note on what to check, unless the file has it.
    func remark(_ text: String, at node: some SyntaxProtocol) {
        let position = node.positionAfterSkippingLeadingTrivia
        remarks[text] = min(remarks[text] ?? position, position)
    }

    /// Adds edits that belong to a call that is counted elsewhere.
    func also(_ edits: [Edit]) { self.edits += edits }

    /// Makes the generic parameters `Sendable` that a future's type names, each once: `func load<T: Sendable>() -> Future<T>`.
    ///
    /// If only a type of a parameter's is named, as in `Future<R.Response>`, the parameter can stay as it is.
    func constrainGenerics(in arguments: GenericArgumentClauseSyntax?) {
        guard let arguments else { return }
        let names = Set(
            arguments.tokens(viewMode: .sourceAccurate).filter { $0.nextToken(viewMode: .sourceAccurate)?.text != "." }
                .map(\.text))
        for parent in sequence(first: Syntax(arguments), next: \.parent) {
            guard let generic = parent.asProtocol((any WithGenericParametersSyntax).self) else { continue }
            for parameter in generic.genericParameterClause?.parameters ?? []
            where names.contains(parameter.name.text) && !generic.constrainsToSendable(parameter) {
                guard constrained.insert(parameter.position).inserted else { continue }
                let end = parameter.inheritedType?.endPositionBeforeTrailingTrivia
                edits.append(
                    end.map { Edit(inserting: " & Sendable", at: $0) }
                        ?? Edit(inserting: ": Sendable", at: parameter.name.endPositionBeforeTrailingTrivia))
            }
        }
        let parents = sequence(first: Syntax(arguments), next: \.parent)
        if let function = parents.lazy.compactMap({ $0.as(FunctionDeclSyntax.self) }).first {
            constrainTypes(in: arguments, of: function)
        }
    }

    /// `func load<R: Request>() -> Future<R.Response> where R.Response: Sendable`.
    private func constrainTypes(in arguments: GenericArgumentClauseSyntax, of function: FunctionDeclSyntax) {
        let own = Set(function.genericParameterClause?.parameters.map(\.name.text) ?? [])
        let types = arguments.tokens(viewMode: .sourceAccurate).compactMap { $0.parent?.as(MemberTypeSyntax.self) }
            .filter { $0.baseType.as(IdentifierTypeSyntax.self).map { own.contains($0.name.text) } ?? false }
        for type in types where type.name.text != "Type" {
            let text = "\(type.trimmedDescription): Sendable"
            let present = function.genericWhereClause?.requirements.map(\.trimmedDescription) ?? []
            guard !present.contains(where: { $0.hasPrefix(text) }),
                constrainedTypes[function.id, default: []].insert(text).inserted
            else { continue }
            let isFirst = constrainedTypes[function.id]?.count == 1 && function.genericWhereClause == nil
            let place = function.genericWhereClause.map { Syntax($0) } ?? Syntax(function.signature)
            also([Edit(inserting: (isFirst ? " where " : ", ") + text, at: place.endPositionBeforeTrailingTrivia)])
        }
    }
}

extension WithGenericParametersSyntax {
    fileprivate func constrainsToSendable(_ parameter: GenericParameterSyntax) -> Bool {
        let requirements = genericWhereClause?.requirements.map(\.trimmedDescription) ?? []
        let constraints =
            requirements.filter { $0.hasPrefix(parameter.name.text + ":") }
            + [parameter.inheritedType?.trimmedDescription ?? ""]
        return constraints.contains { $0.contains("Sendable") }
    }
}
