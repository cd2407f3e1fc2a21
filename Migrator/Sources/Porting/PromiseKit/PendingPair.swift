import SourceFiles
import SwiftSyntax

/// A promise and its seal, with which nothing is done but fulfill and reject it.
///
///     let (promise, seal) = Promise<T>.pending()           // seal.fulfill(x), return promise
///     private let (promise, seal) = Promise<T>.pending()   // the same in a type
///     let pending = Promise<T>.pending()                   // pending.resolver.fulfill(x), return pending.promise
///
/// One `Promise` takes the place of both: the completion handler or the object that completes it holds it.
struct PendingPair {
    private(set) var edits: [Edit] = []
    private(set) var completing: [FunctionCallExprSyntax] = []
    /// The names of the calls that take the place of `fulfill` and `reject`.
    private let names: [String: String]

    init?(of call: FunctionCallExprSyntax) {
        guard call.arguments.isEmpty, call.trailingClosure == nil,
            let member = call.calledExpression.as(MemberAccessExprSyntax.self), let type = member.base,
            type.trimmedDescription.hasPrefix("Promise<"),
            let binding = call.parent?.parent?.as(PatternBindingSyntax.self), binding.typeAnnotation == nil,
            let declaration = binding.parent?.parent?.as(VariableDeclSyntax.self), declaration.bindings.count == 1,
            // A variable could get another future.
            declaration.bindingSpecifier.tokenKind == .keyword(.let),
            let scope = declaration.scopeOfNames
        else { return nil }
        // PromiseKit ignores all calls but the first, and a delegate may be called several times.
        names =
            declaration.parent?.is(MemberBlockItemSyntax.self) ?? false
            ? ["fulfill": "trySuccess", "reject": "tryFailure"] : ["fulfill": "success", "reject": "failure"]
        edits.append(
            Edit(
                removingFrom: type.endPositionBeforeTrailingTrivia,
                to: member.declName.endPositionBeforeTrailingTrivia))
        if let pattern = binding.pattern.as(TuplePatternSyntax.self) {
            guard pattern.elements.count == 2, let promise = pattern.elements.first?.name,
                let seal = pattern.elements.last?.name, let promises = scope.references(to: promise),
                let seals = scope.references(to: seal)
            else { return nil }
            edits.append(Edit(replacing: pattern, with: promise))
            for use in promises { edits.append(Edit(inserting: ".future", at: use.endPositionBeforeTrailingTrivia)) }
            for use in seals {
                guard complete(with: use.expressionOfProperty) else { return nil }
                edits.append(Edit(replacing: use.baseName, with: promise))
            }
        } else {
            guard let pair = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
                let uses = scope.references(to: pair)
            else { return nil }
            for use in uses {
                let value = use.expressionOfProperty
                guard let part = value.parent?.as(MemberAccessExprSyntax.self), part.base?.id == value.id else {
                    return nil
                }
                if part.declName.baseName.text == "promise" {
                    edits.append(Edit(replacing: part.declName, with: "future"))
                } else {
                    guard part.declName.baseName.text == "resolver", complete(with: ExprSyntax(part)) else {
                        return nil
                    }
                    edits.append(
                        Edit(
                            removingFrom: value.endPositionBeforeTrailingTrivia,
                            to: part.endPositionBeforeTrailingTrivia))
                }
            }
        }
    }

    /// Whether this is the seal of a call of `fulfill` or `reject`, which is then renamed.
    private mutating func complete(with seal: ExprSyntax) -> Bool {
        guard let member = seal.parent?.as(MemberAccessExprSyntax.self), member.base?.id == seal.id,
            let call = member.parent?.as(FunctionCallExprSyntax.self),
            call.calledExpression.id == ExprSyntax(member).id,
            call.arguments.count <= 1, call.trailingClosure == nil,
            let name = names[member.declName.baseName.text]
        else { return false }
        completing.append(call)
        edits.append(Edit(replacing: member.declName.baseName, with: name))
        return true
    }
}

extension VariableDeclSyntax {
    /// The code that can use the names: the statements around a variable; the type of a private property, with its extensions.
    fileprivate var scopeOfNames: [Syntax]? {
        if let block = parent?.parent?.as(CodeBlockItemListSyntax.self) { return [Syntax(block)] }
        guard parent?.is(MemberBlockItemSyntax.self) ?? false, modifiers.contains(where: { $0.name.text == "private" }),
            let owner = parent?.parent?.parent?.parent, let file = root.as(SourceFileSyntax.self),
            let name = owner.asProtocol((any NamedDeclSyntax).self)?.name.text
        else { return nil }
        let extensions = file.statements.compactMap { $0.item.as(ExtensionDeclSyntax.self) }
            .filter { $0.extendedType.trimmedDescription == name }
        return [owner] + extensions.map { Syntax($0) }
    }
}

extension [Syntax] {
    /// Nil if another declaration, a property of another object or a capture has the name too.
    fileprivate func references(to name: String) -> [DeclReferenceExprSyntax]? {
        let tokens = flatMap { $0.tokens(viewMode: .sourceAccurate) }
            .filter { $0.text == name && !($0.parent?.is(LabeledExprSyntax.self) ?? false) }
        let found = tokens.compactMap { $0.parent?.as(DeclReferenceExprSyntax.self) }.filter(\.isOfThisObject)
        return tokens.count == found.count + 1 ? found : nil
    }
}

extension DeclReferenceExprSyntax {
    /// Whether this is a name alone, or a property of `self`.
    fileprivate var isOfThisObject: Bool {
        guard let member = parent?.as(MemberAccessExprSyntax.self), member.declName.id == id else { return true }
        return ["self", "self?"].contains(member.base?.trimmedDescription)
    }

    /// `self.seal`, or the name alone.
    fileprivate var expressionOfProperty: ExprSyntax {
        guard let member = parent?.as(MemberAccessExprSyntax.self), member.declName.id == id else {
            return ExprSyntax(self)
        }
        return ExprSyntax(member)
    }
}

extension TuplePatternElementSyntax {
    fileprivate var name: String? { label == nil ? pattern.as(IdentifierPatternSyntax.self)?.identifier.text : nil }
}
