public import SourceFiles
public import SwiftSyntax

/// A parameter of a function, as it is written.
public struct ParameterFacts: Sendable, Hashable {
    /// The label in calls; nil for `_`.
    public var label: String?
    /// The name in the function.
    public var name: String
    /// The type.
    public var type: String
    /// The closure's type, if it is one and is written out.
    public var closure: ClosureType?
    /// Whether it is marked `@escaping`.
    public var isEscaping = false
    /// Whether it can be left out of a call.
    public var hasDefault = false
    /// Whether it takes any number of arguments.
    public var isVariadic = false

    /// The label as it stands in a function's name.
    public var labelInName: String { label ?? "_" }
}

/// A function or an initializer, as it is written, without its body.
public struct FunctionFacts: Sendable, Hashable {
    /// The base name; "init" for initializers.
    public var name: String
    /// The type or extension around it, with the types around that: `Cache.Entry`.
    public var container: String?
    /// Whether the container is a protocol.
    public var isRequirement = false
    /// Whether it is an initializer.
    public var isInitializer: Bool { name == "init" }
    /// The types that the container inherits from, as far as they are written in the same place.
    public var inherited: [String] = []
    /// The parameters.
    public var parameters: [ParameterFacts] = []
    /// Its generic parameters with their constraints, as they are written: `<T: Decodable> where T: Sendable`.
    public var generics = ""
    /// The type of the result; nil if there is none.
    public var result: String?
    /// Whether it is async.
    public var isAsync = false
    /// Whether it throws.
    public var isThrowing = false
    /// Whether it is marked `@objc`, itself.
    public var isObjC = false
    /// Whether it overrides another.
    public var isOverride = false
    /// Whether it is static or a class function.
    public var isStatic = false
    /// Where its name begins.
    public var position: Position

    /// The full name: `load(id:completion:)`.
    public var fullName: String { name + "(" + parameters.map { $0.labelInName + ":" }.joined() + ")" }
    /// The full name with the container's: `Client.load(id:completion:)`.
    public var qualifiedName: String { (container.map { $0 + "." } ?? "") + fullName }
    /// The last part of the container's name.
    public var typeName: String? { container?.split(separator: ".").last.map(String.init) }

    /// Whether it stands in a class that `wrap --delegates` has drafted.
    public var isInDraft: Bool { inherited.contains { DelegateFacts.draftName(of: $0) == typeName } }

    /// Whether it returns a future or a stream of this library.
    public var returnsFuture: Bool {
        guard let result else { return false }
        let names = ["Future", "TypedFuture", "FutureStream", "TypedStream"]
        return names.contains { result.hasPrefix("\($0)<") || result.hasPrefix("SimpleFutures.\($0)<") }
    }
}

extension FunctionFacts {
    /// Reads a function.
    public init(_ function: FunctionDeclSyntax, in file: SourceFile) {
        self.init(name: function.name.text, position: file.position(of: function.name))
        read(function.signature, function.attributes, function.modifiers)
        let clauses: [(any SyntaxProtocol)?] = [function.genericParameterClause, function.genericWhereClause]
        generics = clauses.compactMap { $0?.trimmedDescription }.joined(separator: " ")
        let returned = function.signature.returnClause.map { typeText($0.type) }
        result = returned == "Void" || returned == "()" ? nil : returned
    }

    /// Reads an initializer.
    public init(_ initializer: InitializerDeclSyntax, in file: SourceFile) {
        self.init(name: "init", position: file.position(of: initializer.initKeyword))
        read(initializer.signature, initializer.attributes, initializer.modifiers)
    }

    init(name: String, position: Position) {
        self.name = name
        self.position = position
    }

    private mutating func read(
        _ signature: FunctionSignatureSyntax, _ attributes: AttributeListSyntax, _ modifiers: DeclModifierListSyntax
    ) {
        parameters = signature.parameterClause.parameters.map(ParameterFacts.init)
        isAsync = signature.effectSpecifiers?.asyncSpecifier != nil
        isThrowing = signature.effectSpecifiers?.throwsClause != nil
        isObjC = attributes.contains { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "objc" }
        for modifier in modifiers {
            switch modifier.name.text {
            case "override": isOverride = true
            case "static", "class": isStatic = true
            default: break
            }
        }
    }
}

extension ParameterFacts {
    init(_ parameter: FunctionParameterSyntax) {
        label = parameter.firstName.text == "_" ? nil : parameter.firstName.text
        name = (parameter.secondName ?? parameter.firstName).text
        type = typeText(parameter.type)
        closure = ClosureType(parameter.type)
        isEscaping =
            closure?.isEscaping
            ?? parameter.type.as(AttributedTypeSyntax.self)?.attributes
            .contains { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "escaping" } ?? false
        if isEscaping, type.hasPrefix("@escaping ") { type.removeFirst(10) }
        hasDefault = parameter.defaultValue != nil
        isVariadic = parameter.ellipsis != nil
    }

    /// Whether its type may be a typealias of a closure's.
    var mayBeAlias: Bool {
        guard closure == nil else { return false }
        if isEscaping { return true }
        let wrapped = type.wrappedType ?? type
        guard wrapped.first?.isLetter == true else { return false }
        let hints = ["Handler", "Block", "Closure", "Callback", "Completion"]
        return hints.contains { wrapped.contains($0) }
            || !Set((label ?? "").words + name.words).isDisjoint(with: [
                "completion", "completed", "handler", "callback", "block", "done", "finished", "then", "reply",
                "success", "failure",
            ])
    }
}
