import Callbacks
import SourceFiles
import SwiftSyntax

/// The function with a completion handler, when the implementation is async: `callback(completion) { try await … }`.
struct CallbackShell {
    private let function: CallbackFunction
    private let node: FunctionDeclSyntax
    private let body: CodeBlockSyntax
    private let result: String?

    /// Nil if `callback` doesn't take the function; `reason` then says why.
    init?(_ function: CallbackFunction, _ node: FunctionDeclSyntax, calling implementation: FunctionFacts) {
        guard let body = node.body, Self.obstacle(function, implementation.isThrowing) == nil else { return nil }
        self.function = function
        self.node = node
        self.body = body
        result = implementation.result
    }

    /// Why `callback` doesn't take a function, and what to do.
    static func reason(_ function: CallbackFunction, isThrowing: Bool) -> String {
        obstacle(function, isThrowing) ?? ""
    }

    private static func obstacle(_ function: CallbackFunction, _ isThrowing: Bool) -> String? {
        switch function.shape {
        case .nothing, .value:
            if isThrowing {
                return "The handler has no place for an error: catch the errors in a closure of `callback`."
            }
        case .optionalAndError, .error, .twoOptionalsAndError: break
        case .result(_, let error):
            if let type = error.concreteErrorType {
                return """
                    The handler takes one type of error. If the async function has `throws(\(type))`, write \
                    `callback(completion) { () async throws(\(type)) in … }`, otherwise \
                    `callback({ completion($0.mapError { $0 as? \(type) ?? … }) }) { … }`.
                    """
            }
        default: return "`callback` has no handler of this shape: give it a closure that calls the handler."
        }
        if function.shape.typedError != nil {
            return "The handler takes one type of error: give `callback` a closure that converts other errors."
        }
        if let result = function.handle, result != "CancelToken" {
            return "It returns \(result): let it return the token of `callback`, or `Void`."
        }
        if let alias = function.alias, function.closure?.isSendable != true {
            return "Mark the closure of the typealias \(alias) as @Sendable, then run the command again."
        }
        return nil
    }

    /// Replaces the body, and marks the completion handler as `@Sendable`.
    func edits(calling call: String, indent: String, unit: String) -> [Edit] {
        let parameter = function.facts.parameters[function.handlers[0]]
        let name = parameter.name.escaped
        let text = "callback(\(handler(name))) { \(call) }"
        let start = body.leftBrace.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = body.rightBrace.endPositionBeforeTrailingTrivia.utf8Offset
        return [Edit(start..<end, "{\n\(indent)\(unit)\(text)\n\(indent)}")] + sendableEdits(indent)
    }

    /// The completion handler, or a closure that calls it if it is optional, or if the values are.
    private func handler(_ name: String) -> String {
        let closure = function.closure
        let isOptional = closure?.isOptional ?? false
        let hasOptionalValues = function.shape.hasOptionalValues(result)
        guard isOptional || hasOptionalValues else { return name }
        let count = closure?.parameters.count ?? 0
        let arguments = (0..<count).map { hasOptionalValues && $0 < count - 1 ? "$\($0) ?? nil" : "$\($0)" }
        let actor = closure?.actor.map { "@\($0) in " } ?? ""
        return "{ \(actor)\(name)\(isOptional ? "?" : "")(\(arguments.joined(separator: ", "))) }"
    }

    private func sendableEdits(_ indent: String) -> [Edit] {
        guard function.closure?.isSendable == false, let index = function.handlers.first else { return [] }
        let parameter = node.signature.parameterClause.parameters
        let type = parameter[parameter.index(parameter.startIndex, offsetBy: index)].type
        guard let closure = firstFunction(in: Syntax(type)) else { return [] }
        let place = closure.positionAfterSkippingLeadingTrivia.utf8Offset
        var edits = [Edit(place..<place, "@Sendable ")]
        let attributes = node.attributes.compactMap { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription }
        if !attributes.contains("preconcurrency") {
            let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
            edits.append(Edit(start..<start, "@preconcurrency\n" + indent))
        }
        return edits
    }

    private func firstFunction(in node: Syntax) -> FunctionTypeSyntax? {
        if let function = node.as(FunctionTypeSyntax.self) { return function }
        for child in node.children(viewMode: .sourceAccurate) {
            if let found = firstFunction(in: child) { return found }
        }
        return nil
    }
}

extension Shape {
    /// Whether an async function returns optional values, of which the completion handler gets the wrapped ones.
    func hasOptionalValues(_ result: String?) -> Bool {
        switch self {
        case .optionalAndError(let type, _): result == type + "?"
        case .twoOptionalsAndError(let first, let second, _): result == "(\(first)?, \(second)?)"
        default: false
        }
    }
}
