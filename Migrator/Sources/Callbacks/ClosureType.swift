public import SwiftSyntax

/// The type of a closure, as it is written in a declaration.
public struct ClosureType: Sendable, Hashable, Codable {
    /// The types of its parameters, without labels.
    public var parameters: [String]
    /// The names of its parameters, as in `(_ data: Data, Int) -> Void`; nil for those without.
    public var names: [String?] = []
    /// The type of its result; "Void" if it is `()`.
    public var result: String
    /// Whether it is marked `@Sendable`.
    public var isSendable = false
    /// Its global actor, such as `@MainActor`.
    public var actor: String?
    /// Whether it is marked `@escaping`, at the parameter.
    public var isEscaping = false
    /// Whether it is optional.
    public var isOptional = false
    /// Whether it is async.
    public var isAsync = false
    /// Whether it throws.
    public var isThrowing = false
    /// Whether it is an autoclosure.
    public var isAutoclosure = false
    /// Whether a parameter is `inout`.
    public var hasInout = false

    /// Creates the type of a closure.
    public init(parameters: [String], result: String = "Void") {
        self.parameters = parameters
        self.result = result
    }

    /// Reads a type, or returns nil if it isn't that of a closure.
    public init?(_ type: TypeSyntax) {
        if let attributed = type.as(AttributedTypeSyntax.self) {
            self.init(attributed.baseType)
            for case .attribute(let attribute) in attributed.attributes { add(attribute) }
        } else if let optional = type.as(OptionalTypeSyntax.self) {
            self.init(optional.wrappedType)
            isOptional = true
        } else if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            self.init(optional.wrappedType)
            isOptional = true
        } else if let tuple = type.as(TupleTypeSyntax.self) {
            guard let only = tuple.elements.first, tuple.elements.count == 1 else { return nil }
            self.init(only.type)
        } else if let function = type.as(FunctionTypeSyntax.self) {
            self.init(function)
        } else if let optional = type.as(IdentifierTypeSyntax.self), optional.name.text == "Optional",
            case .type(let wrapped)? = optional.genericArgumentClause?.arguments.first?.argument
        {
            self.init(wrapped)
            isOptional = true
        } else {
            return nil
        }
    }

    private init(_ function: FunctionTypeSyntax) {
        parameters = function.parameters.map { typeText($0.type) }
        names = function.parameters.map { parameter in
            (parameter.secondName ?? parameter.firstName).map(\.text).flatMap { $0 == "_" ? nil : $0 }
        }
        let returned = typeText(function.returnClause.type)
        result = returned == "()" || returned == "Swift.Void" ? "Void" : returned
        isAsync = function.effectSpecifiers?.asyncSpecifier != nil
        isThrowing = function.effectSpecifiers?.throwsClause != nil
        hasInout = parameters.contains { $0.hasPrefix("inout ") }
    }

    private mutating func add(_ attribute: AttributeSyntax) {
        switch attribute.attributeName.trimmedDescription {
        case "escaping": isEscaping = true
        case "Sendable": isSendable = true
        case "autoclosure": isAutoclosure = true
        case let name where name.hasSuffix("Actor"): actor = name
        default: break
        }
    }

    /// Whether it can be kept and called later.
    public var canOutliveCall: Bool { (isEscaping || isOptional) && !isAutoclosure }

    /// The parameters as a person writes them: `(Data?, Error?)`.
    public var text: String { "(" + parameters.joined(separator: ", ") + ")" }
}

/// The text of a type in one line, without comments.
public func typeText(_ type: some SyntaxProtocol) -> String {
    var text = ""
    for token in type.tokens(viewMode: .sourceAccurate) {
        if !text.isEmpty, needsSpace(before: token) { text += " " }
        text += token.text
    }
    return text
}

private func needsSpace(before token: TokenSyntax) -> Bool {
    guard let previous = token.previousToken(viewMode: .sourceAccurate) else { return false }
    switch previous.tokenKind {
    case .comma, .colon, .arrow, .binaryOperator: return true
    case .leftParen, .leftAngle, .leftSquare, .period, .atSign, .prefixAmpersand: return false
    default: break
    }
    switch token.tokenKind {
    case .arrow, .binaryOperator: return true
    case .identifier, .keyword, .leftSquare, .atSign, .wildcard:
        return isWord(previous) || previous.tokenKind == .rightParen && isWord(token)
    case .leftParen:
        return isWord(previous) && previous.parent?.is(AttributeSyntax.self) != true
            && previous.parent?.parent?.is(AttributeSyntax.self) == true
    default: return false
    }
}

private func isWord(_ token: TokenSyntax) -> Bool {
    switch token.tokenKind {
    case .identifier, .keyword, .wildcard: true
    default: false
    }
}
