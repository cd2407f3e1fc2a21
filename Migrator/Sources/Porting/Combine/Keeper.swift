import SwiftSyntax

/// A private property of a class that keeps cancellables.
///
///     private var cancellables = Set<AnyCancellable>()
///     private var subscription: AnyCancellable?
struct Keeper {
    let declaration: VariableDeclSyntax
    /// The name of the property.
    let name: TokenSyntax
    /// `AnyCancellable` in the declaration.
    let type: TokenSyntax
    /// Whether the property is a set or an array, and not an optional cancellable.
    let isSet: Bool
    /// The class.
    let owner: ClassDeclSyntax

    /// The property of a declaration.
    ///
    /// Nil if other files can use it, or if it has another form.
    init?(_ declaration: VariableDeclSyntax, of owner: ClassDeclSyntax) {
        guard declaration.attributes.isEmpty, declaration.modifiers.map(\.trimmedDescription) == ["private"],
            declaration.bindingSpecifier.text == "var", declaration.bindings.count == 1,
            let binding = declaration.bindings.first, binding.accessorBlock == nil,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
            let type = declaration.tokens(viewMode: .sourceAccurate).first(where: { $0.text == "AnyCancellable" })
        else { return nil }
        let text = binding.typeAnnotation?.type.trimmedDescription
        let value = binding.initializer?.value
        if text == "AnyCancellable?" {
            guard value == nil || value?.is(NilLiteralExprSyntax.self) ?? false else { return nil }
            isSet = false
        } else {
            guard [nil, "Set<AnyCancellable>", "[AnyCancellable]"].contains(text), value?.isEmptySet ?? false else {
                return nil
            }
            isSet = true
        }
        (self.declaration, self.name, self.type, self.owner) = (declaration, name, type, owner)
    }

    /// A use of the property.
    enum Use {
        /// A `sink` is stored in the set or assigned to the variable.
        case sink(Subscription)
        /// Another chain is stored in the set.
        case otherStore
        /// All subscriptions of the set are canceled: `cancellables.removeAll()`, `cancellables = []`.
        case clear(CodeBlockItemSyntax)
        /// The variable is canceled or set to nil.
        case cancel
    }

    /// The uses of the property.
    ///
    /// Nil if one of them isn't known.
    func uses(in file: SourceFileSyntax) -> [Use]? {
        let extensions = file.statements.compactMap { $0.item.as(ExtensionDeclSyntax.self) }
            .filter { $0.extendedType.trimmedDescription == owner.name.text }
        let tokens = ([Syntax(owner)] + extensions.map { Syntax($0) }).flatMap { $0.tokens(viewMode: .sourceAccurate) }
        var uses: [Use] = []
        for token in tokens where token.text == name.text && token.id != name.id {
            guard let use = use(token) else { return nil }
            uses.append(use)
        }
        return uses
    }

    private func use(_ token: TokenSyntax) -> Use? {
        guard let reference = token.parent?.as(DeclReferenceExprSyntax.self) else { return nil }
        var value = ExprSyntax(reference)
        if let member = reference.parent?.as(MemberAccessExprSyntax.self), member.declName.id == reference.id {
            guard member.base?.trimmedDescription == "self" else { return nil }
            value = ExprSyntax(member)
        }
        return isSet ? useOfSet(value) : useOfVariable(value)
    }

    private func useOfSet(_ value: ExprSyntax) -> Use? {
        if let store = value.parent?.as(InOutExprSyntax.self)?.parent?.parent?.parent?.as(FunctionCallExprSyntax.self),
            let member = store.calledExpression.as(MemberAccessExprSyntax.self),
            member.declName.baseName.text == "store"
        {
            return member.base?.as(FunctionCallExprSyntax.self).flatMap { Subscription(call: $0) }.map { .sink($0) }
                ?? .otherStore
        }
        if let member = value.parent?.as(MemberAccessExprSyntax.self), member.declName.baseName.text == "removeAll",
            let call = member.parent?.as(FunctionCallExprSyntax.self), call.arguments.isEmpty
        {
            return call.parent?.as(CodeBlockItemSyntax.self).map { .clear($0) }
        }
        guard let list = value.parent?.as(ExprListSyntax.self), list.first?.id == value.id, list.count == 3,
            list.dropFirst().first?.is(AssignmentExprSyntax.self) ?? false, list.last?.isEmptySet ?? false
        else { return nil }
        return list.parent?.parent?.as(CodeBlockItemSyntax.self).map { .clear($0) }
    }

    private func useOfVariable(_ value: ExprSyntax) -> Use? {
        if let member = value.parent?.as(OptionalChainingExprSyntax.self)?.parent?.as(MemberAccessExprSyntax.self) {
            return member.declName.baseName.text == "cancel" ? .cancel : nil
        }
        guard let list = value.parent?.as(ExprListSyntax.self), list.first?.id == value.id, list.count == 3,
            list.dropFirst().first?.is(AssignmentExprSyntax.self) ?? false, let last = list.last
        else { return nil }
        if last.is(NilLiteralExprSyntax.self) { return .cancel }
        return last.as(FunctionCallExprSyntax.self).flatMap { Subscription(call: $0) }.map { .sink($0) }
    }
}

extension Subscription {
    /// The subscription of a call, if it is a `sink`.
    fileprivate init?(call: FunctionCallExprSyntax) {
        guard call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "sink" else {
            return nil
        }
        self.init(sink: call)
    }
}

extension ExprSyntax {
    fileprivate var isEmptySet: Bool {
        ["[]", "Set()", ".init()", "Set<AnyCancellable>()", "[AnyCancellable]()", "Set([])"].contains(
            trimmedDescription)
    }
}

/// The keepers and the calls named `sink` of a file.
final class KeeperFinder: SyntaxVisitor {
    private(set) var keepers: [Keeper] = []
    private(set) var sinks: [FunctionCallExprSyntax] = []

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        keepers += node.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
            .compactMap { Keeper($0, of: node) }
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "sink" {
            sinks.append(node)
        }
        return .visitChildren
    }
}
