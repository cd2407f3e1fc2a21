import Callbacks
import SwiftSyntax

/// A type, an extension or a protocol around a function.
struct Container {
    var name: String
    var node: Syntax
    var isProtocol = false
    var access: String?
    var inherited: [String] = []
    /// Generic parameters, and the associated types of a protocol.
    var generics: [String] = []
    /// Whether members are exposed to Objective-C.
    var isExposed = false
    /// The names of its properties and functions.
    var members: Set<String> = []
    /// The overloads of a protocol's requirements.
    var requirementOverloads: [String] = []

    init(_ node: some NamedDeclSyntax & DeclGroupSyntax) {
        self.init(name: node.name.text, node)
        generics =
            node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause?.parameters
            .map(\.name.text) ?? []
        if let node = node.as(ProtocolDeclSyntax.self) {
            isProtocol = true
            generics = node.memberBlock.members.compactMap { $0.decl.as(AssociatedTypeDeclSyntax.self)?.name.text }
        }
    }

    init(_ node: ExtensionDeclSyntax) {
        self.init(name: String(typeText(node.extendedType).prefix { $0 != "<" }), node)
    }

    private init(name: String, _ node: some DeclGroupSyntax) {
        self.name = name
        self.node = Syntax(node)
        inherited = node.inheritanceClause?.inheritedTypes.map { typeText($0.type) } ?? []
        access = node.modifiers.map(\.name.text).first { ["public", "package", "fileprivate", "private"].contains($0) }
        isExposed = node.attributes.contains { attribute in
            let name = attribute.as(AttributeSyntax.self)?.attributeName.trimmedDescription
            return name == "objcMembers" || name == "objc" && node.is(ExtensionDeclSyntax.self)
        }
        for member in node.memberBlock.members {
            if let function = member.decl.as(FunctionDeclSyntax.self) { members.insert(function.name.text) }
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
            for binding in variable.bindings { members.insert(binding.pattern.trimmedDescription) }
        }
    }
}

/// The names of the types that are declared to conform to a protocol.
func conformers(to name: String, in tree: SourceFileSyntax) -> Set<String> {
    final class Visitor: SyntaxVisitor {
        let name: String
        var found: Set<String> = []
        init(_ name: String) {
            self.name = name
            super.init(viewMode: .sourceAccurate)
        }
        override func visit(_ node: InheritanceClauseSyntax) -> SyntaxVisitorContinueKind {
            guard node.inheritedTypes.contains(where: { $0.type.trimmedDescription.hasSuffix(name) }) else {
                return .skipChildren
            }
            if let type = node.parent?.asProtocol((any NamedDeclSyntax).self) { found.insert(type.name.text) }
            if let type = node.parent?.as(ExtensionDeclSyntax.self) {
                found.insert(type.extendedType.trimmedDescription)
            }
            return .skipChildren
        }
        override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    }
    let visitor = Visitor(name)
    visitor.walk(tree)
    return visitor.found
}

/// Whether a file declares a class, wherever it is.
func declaresClass(_ name: String, in tree: SourceFileSyntax) -> Bool {
    final class Visitor: SyntaxVisitor {
        let name: String
        var isFound = false
        init(_ name: String) {
            self.name = name
            super.init(viewMode: .sourceAccurate)
        }
        override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
            if node.name.text == name { isFound = true }
            return .visitChildren
        }
        override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    }
    let visitor = Visitor(name)
    visitor.walk(tree)
    return visitor.isFound
}
