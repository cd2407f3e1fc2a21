import SwiftSyntax

/// The actor that code runs on, as far as its file tells.
enum Isolation {
    /// The main actor.
    case main
    /// The main actor or none: a superclass or a protocol of another file can have an actor.
    case unknown
    /// None.
    case none
    /// Another actor.
    case other

    /// The isolation of a piece of code.
    init(of node: some SyntaxProtocol) {
        for parent in sequence(first: Syntax(node), next: \.parent) {
            if let closure = parent.as(ClosureExprSyntax.self) {
                if let found = Isolation(closure.signature?.attributes) { self = found; return }
            } else if parent.is(ActorDeclSyntax.self) {
                self = .other
                return
            } else if let attributed = parent.asProtocol((any WithAttributesSyntax).self) {
                if let found = Isolation(attributed.attributes) { self = found; return }
            }
            if let modified = parent.asProtocol((any WithModifiersSyntax).self),
                modified.modifiers.contains(where: { $0.name.text == "nonisolated" })
            {
                self = .none
                return
            }
            if let type = parent.asProtocol((any DeclGroupSyntax).self) {
                let own = Isolation(inherited: type.inheritanceClause)
                self = type.as(ExtensionDeclSyntax.self).map { own.joined(with: Isolation(extendedBy: $0)) } ?? own
                return
            }
        }
        self = .none
    }

    /// The isolation of code in an extension of a class.
    func joined(with owner: Isolation) -> Isolation {
        switch (self, owner) {
        case (.none, _), (.unknown, .main), (.unknown, .other): owner
        default: self
        }
    }

    /// The isolation of the type that an extension extends.
    private init(extendedBy node: ExtensionDeclSyntax) {
        let name = node.extendedType.trimmedDescription
        let types = node.root.as(SourceFileSyntax.self)?.statements.compactMap {
            $0.item.is(ExtensionDeclSyntax.self) ? nil : $0.item.asProtocol((any NamedDeclSyntax).self)
        }
        if let type = types?.first(where: { $0.name.text == name }) {
            self = Isolation(of: type)
        } else if isView(name) {
            self = .main
        } else {
            self = withoutActor.contains(name) ? .none : .unknown
        }
    }

    private init?(_ attributes: AttributeListSyntax?) {
        let names = (attributes ?? []).compactMap { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription }
        guard let actor = names.first(where: { $0.hasSuffix("Actor") }) else { return nil }
        self = actor == "MainActor" ? .main : .other
    }

    private init(inherited clause: InheritanceClauseSyntax?) {
        let names = clause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
        if names.contains(where: isView) {
            self = .main
        } else if !names.allSatisfy(withoutActor.contains) {
            self = .unknown
        } else {
            self = .none
        }
    }
}

/// Whether a type is on the main actor by its name: `UIViewController`, `BaseViewController`, `NSTextField`.
private func isView(_ name: String) -> Bool {
    let ends = [
        "View", "ViewController", "WindowController", "Cell", "Control", "Button", "TextField", "ApplicationDelegate",
    ]
    return ends.contains(where: name.hasSuffix)
}

/// Types to inherit from and protocols that have no actor.
private let withoutActor: Set = [
    "NSObject", "ObservableObject", "Identifiable", "Hashable", "Equatable", "Codable", "Sendable", "XCTestCase",
    "AnyObject", "CustomStringConvertible", "Error", "LocalizedError", "Decodable", "Encodable", "Comparable", "String",
    "Int", "Promise", "Guarantee", "Future", "Thenable", "CatchMixin", "URLSession",
]
