import Callbacks
import Foundation
import SwiftSyntax

/// Writes the overloads of one function.
struct OverloadWriter {
    let function: CallbackFunction
    let node: FunctionDeclSyntax
    let surroundings: Surroundings
    /// The indentation of each line.
    let indent: String

    /// The way a function's place affects its overloads.
    struct Surroundings {
        /// The generic parameters and associated types of the container.
        var generics: [String] = []
        /// Whether members are exposed to Objective-C, unless told otherwise.
        var isExposed = false
        /// Whether `future` or `Future` means something else there.
        var shadowsFuture = false
        var shadowsFutureType = false
        /// Types that conform to CancellableHandle.
        var handles: Set<String> = []
        /// Whether the overload goes to an extension of a protocol.
        var isInExtension = false
        /// The access level of the protocol, for overloads in its extension.
        var access: String?
        /// Whether there is a `self`.
        var hasSelf = false
        /// Whether a call of the overload may mean a function that is neither async nor has a completion handler.
        var hasPlainNamesake = false
    }

    private var value: String { function.shape.futureType ?? "Void" }
    private var futureType: String { futureType(of: value) }
    private func futureType(of value: String) -> String {
        (surroundings.shadowsFutureType ? "SimpleFutures." : "") + "Future<\(value)>"
    }

    /// The value with the names of the completion handler's parameters: `(data: Data, response: URLResponse)`.
    ///
    /// A future of it would have another type than `future { }` gives.
    private var labeledValue: String {
        let names = function.closure?.names ?? []
        guard let types = function.shape.values, names.count >= types.count else { return value }
        let labels = names.prefix(types.count).compactMap { $0 }
        guard Set(labels).count == labels.count else { return value }
        return "(" + zip(names, types).map { ($0.map { $0 + ": " } ?? "") + $1 }.joined(separator: ", ") + ")"
    }

    // MARK: Overloads

    /// The overload that returns a future of what the completion handler gets.
    func future() -> String {
        var comment = DocComment(node)
        let cancels = isCancellable ? "cancelToken: Cancels the call." : nil
        comment.adapt(
            removing: handlerNames, parameter: cancels, returns: "A future of the result.")
        let token = isCancellable ? "cancelToken: CancelToken" : nil
        return declaration(comment, token: token, effects: "", result: futureType, body: futureBody)
    }

    /// The overload that returns a future, if the implementation is async.
    func future(callingAsync implementation: FunctionFacts) -> String {
        var comment = DocComment(node)
        comment.adapt(removing: handlerNames, returns: "A future of the result.")
        let optional = implementation.result.flatMap { function.shape.hasOptionalValues($0) ? $0 : nil }
        return declaration(
            comment, token: nil, effects: "", result: futureType(of: optional ?? value),
            body: futureOfAsync(implementation.isThrowing))
    }

    /// The async overload.
    func async() -> String {
        var comment = DocComment(node)
        let returns = value == "Void" ? nil : "The result."
        comment.adapt(removing: handlerNames, returns: returns)
        return declaration(
            comment, token: nil, effects: " async throws", result: value == "Void" ? nil : labeledValue, body: asyncBody
        )
    }

    /// The body of a future of the async implementation: `Future { try await self.load(id: id) }`.
    func futureOfAsync(_ throwing: Bool) -> String {
        let type = surroundings.shadowsFutureType ? "SimpleFutures.Future" : "Future"
        return "\(type) { \(asyncCall(throwing)) }"
    }

    /// The call of the async implementation: `try await self.load(id: id)`.
    func asyncCall(_ throwing: Bool) -> String {
        let arguments = function.facts.parameters.enumerated().compactMap { index, parameter -> String? in
            guard !function.handlers.contains(index) else { return nil }
            return (parameter.label.map { $0 + ": " } ?? "") + parameter.name.escaped
        }
        let receiver = surroundings.hasSelf ? "self." : ""
        return "\(throwing ? "try " : "")await \(receiver)\(function.facts.name)(\(arguments.joined(separator: ", ")))"
    }

    // MARK: Bodies

    private var handlerNames: [String] { function.handlers.map { function.facts.parameters[$0].name } }

    private var isCancellable: Bool { if case .cancellable = function.call { true } else { false } }

    private func bridge(_ module: String) -> String { (surroundings.shadowsFuture ? module + "." : "") + "future" }

    private var futureBody: String {
        if isCancellable {
            return "\(bridge("SimpleFuturesInterop"))(cancelToken: cancelToken) { \(cancellableCall) }"
        }
        return "\(bridge("SimpleFutures")) { \(function.closureParameters)\(function.invocation) }"
    }

    private var asyncBody: String {
        if case .several = function.shape {
            return "try await \(bridge("SimpleFutures")) { \(function.invocation) }.value"
        }
        let call = isCancellable ? cancellableCall : function.closureParameters + function.invocation
        return "try await withCompletionHandler { \(call) }"
    }

    /// The call, which returns a handle that can be canceled.
    private var cancellableCall: String {
        let handle = function.handle ?? ""
        guard !isKnownHandle(handle) else { return function.closureParameters + function.invocation }
        let cancel = handle.wrappedType == nil ? "call.cancel()" : "call?.cancel()"
        return "\(function.closureParameters)let call = \(function.invocation); return CancelAction { \(cancel) }"
    }

    private func isKnownHandle(_ type: String) -> Bool {
        let name = String((type.wrappedType ?? type).prefix { $0 != "<" })
        return name == "Task" || name == "CancelToken" || name == "CancelAction" || surroundings.handles.contains(name)
    }

    // MARK: Declarations

    private func declaration(
        _ comment: DocComment, token: String?, effects: String, result: String?, body: String
    ) -> String {
        var text = comment.text(indent: indent)
        for attribute in attributes { text += indent + attribute + "\n" }
        var parameters: [String] = []
        for (index, parameter) in node.signature.parameterClause.parameters.enumerated() {
            if !function.handlers.contains(index) {
                parameters.append(parameter.with(\.trailingComma, nil).trimmedDescription)
            } else if index == function.handlers.last, let token {
                parameters.append(token)
            }
        }
        let name = node.name.text + (node.genericParameterClause?.trimmedDescription ?? "")
        let start = indent + modifiers.map { $0 + " " }.joined() + "func " + name + "("
        let end = ")" + effects + (result.map { " -> " + $0 } ?? "") + whereClause
        text += layout(start, parameters, end, body)
        return text
    }

    /// In one line if it is short, else with the parameters or the body in lines of their own.
    private func layout(_ start: String, _ parameters: [String], _ end: String, _ body: String) -> String {
        let line = start + parameters.joined(separator: ", ") + end
        let statements = body.components(separatedBy: "; ")
        if !line.contains("\n"), statements.count == 1, line.count + body.count + 5 <= 120 {
            return "\(line) { \(body) }"
        }
        let header =
            line.count + 2 <= 120 && !line.contains("\n")
            ? line : start + "\n" + indent + "    " + parameters.joined(separator: ", ") + "\n" + indent + end
        return header + " {\n" + lines(of: statements) + "\n" + indent + "}"
    }

    /// The body, with the closure in lines of its own if it has two statements or is long.
    private func lines(of statements: [String]) -> String {
        let line = indent + "    " + statements.joined(separator: "; ")
        guard statements.count > 1 || line.count > 120, let brace = statements[0].range(of: "{ ") else { return line }
        var opening = String(statements[0][..<brace.lowerBound]) + "{"
        var inner = [String(statements[0][brace.upperBound...])] + statements.dropFirst()
        if !function.closureParameters.isEmpty {
            opening += " " + function.closureParameters.trimmed
            inner[0].removeFirst(function.closureParameters.count)
        }
        let end = inner[inner.count - 1].range(of: " }", options: .backwards)
        let after = end.map { String(inner[inner.count - 1][$0.upperBound...]) } ?? ""
        if let end { inner[inner.count - 1] = String(inner[inner.count - 1][..<end.lowerBound]) }
        return ([opening] + inner.map { "    " + $0 } + ["}" + after]).map { indent + "    " + $0 }
            .joined(separator: "\n")
    }

    /// The attributes that mean the same for the overload.
    private var attributes: [String] {
        var kept: [String] = []
        for case .attribute(let attribute) in node.attributes {
            let name = attribute.attributeName.trimmedDescription
            if name == "available" || name == "_spi" || name == "backDeployed" || name.hasSuffix("Actor") {
                kept.append(attribute.trimmedDescription)
            }
        }
        if surroundings.isExposed { kept.append("@nonobjc") }
        let isOptional = function.handlers.contains { function.facts.parameters[$0].hasDefault }
        // A call without a completion handler still means the function that it meant before.
        if isOptional || surroundings.hasPlainNamesake { kept.append("@_disfavoredOverload") }
        return kept
    }

    private var modifiers: [String] {
        let dropped: Set = ["override", "dynamic", "required", "convenience", "final", "optional", "async"]
        var modifiers = node.modifiers.map(\.trimmedDescription).filter { !dropped.contains($0) }
            .map { $0 == "open" ? "public" : $0 }
        if let access = surroundings.access { modifiers.insert(access, at: 0) }
        return modifiers
    }

    private var whereClause: String {
        var requirements =
            node.genericWhereClause?.requirements
            .map { $0.with(\.trailingComma, nil).trimmedDescription } ?? []
        let own = node.genericParameterClause?.parameters.map(\.name.text) ?? []
        for type in (own + surroundings.generics).flatMap(value.types(of:)) where !isSendable(type) {
            requirements.append("\(type): Sendable")
        }
        return requirements.isEmpty ? "" : " where " + requirements.joined(separator: ", ")
    }

    private func isSendable(_ name: String) -> Bool {
        let parameter = node.genericParameterClause?.parameters.first { $0.name.text == name }
        if parameter?.inheritedType?.trimmedDescription.mentions("Sendable") == true { return true }
        return node.genericWhereClause?.requirements.contains {
            let text = $0.trimmedDescription
            return text.hasPrefix(name + ":") && text.mentions("Sendable")
        } ?? false
    }
}

extension String {
    /// A generic parameter and the types that it names in this type: `T` and `R.Response` in `Page<T, R.Response>`.
    fileprivate func types(of parameter: String) -> [String] {
        let names = split { !($0.isLetter || $0.isNumber || "_.".contains($0)) }.map(String.init)
        var found: [String] = []
        for name in names where name == parameter || name.hasPrefix(parameter + ".") {
            let type = name.hasSuffix(".Type") ? parameter : name
            if !found.contains(type) { found.append(type) }
        }
        return found
    }
}
