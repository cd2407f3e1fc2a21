import SourceFiles
import SwiftSyntax

/// `let (promise, seal) = Promise<T>.pending()` in a function that does nothing with the seal but fulfill and reject it.
///
/// One `Promise` takes the place of both: the completion handler that completes it holds it.
struct PendingPair {
    private(set) var edits: [Edit] = []
    private(set) var completing: [FunctionCallExprSyntax] = []

    init?(of call: FunctionCallExprSyntax) {
        guard call.arguments.isEmpty, call.trailingClosure == nil,
            let member = call.calledExpression.as(MemberAccessExprSyntax.self), let type = member.base,
            type.trimmedDescription.hasPrefix("Promise<"),
            let binding = call.parent?.parent?.as(PatternBindingSyntax.self), binding.typeAnnotation == nil,
            let pattern = binding.pattern.as(TuplePatternSyntax.self), pattern.elements.count == 2,
            let promise = pattern.elements.first?.name, let seal = pattern.elements.last?.name,
            let declaration = binding.parent?.parent?.as(VariableDeclSyntax.self), declaration.bindings.count == 1,
            // A variable could get another future.
            declaration.bindingSpecifier.tokenKind == .keyword(.let),
            let scope = declaration.parent?.parent?.as(CodeBlockItemListSyntax.self)
        else { return nil }
        guard let promises = Self.references(to: promise, in: scope),
            let seals = Self.references(to: seal, in: scope)
        else { return nil }
        edits.append(Edit(replacing: pattern, with: promise))
        edits.append(
            Edit(
                removingFrom: type.endPositionBeforeTrailingTrivia,
                to: member.declName.endPositionBeforeTrailingTrivia))
        for use in promises { edits.append(Edit(inserting: ".future", at: use.endPositionBeforeTrailingTrivia)) }
        for use in seals {
            guard let member = use.parent?.as(MemberAccessExprSyntax.self),
                let call = member.parent?.as(FunctionCallExprSyntax.self),
                call.calledExpression.id == ExprSyntax(member).id,
                call.arguments.count <= 1, call.trailingClosure == nil,
                let name = ["fulfill": "success", "reject": "failure"][member.declName.baseName.text]
            else { return nil }
            completing.append(call)
            edits.append(Edit(replacing: use.baseName, with: promise))
            edits.append(Edit(replacing: member.declName.baseName, with: name))
        }
    }

    /// Nil if another declaration, a capture or a label has the name too.
    private static func references(
        to name: String, in scope: CodeBlockItemListSyntax
    ) -> [DeclReferenceExprSyntax]? {
        let finder = ReferenceFinder(name)
        finder.walk(scope)
        let mentions = scope.tokens(viewMode: .sourceAccurate).count { $0.text == name }
        return mentions == finder.found.count + 1 ? finder.found : nil
    }
}

extension TuplePatternElementSyntax {
    fileprivate var name: String? { label == nil ? pattern.as(IdentifierPatternSyntax.self)?.identifier.text : nil }
}
