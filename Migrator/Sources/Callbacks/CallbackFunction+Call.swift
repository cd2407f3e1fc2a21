extension CallbackFunction {
    /// Whether and how `future { }` takes the function.
    func waysOfCalling() -> Call {
        if facts.isInitializer {
            return .byHand("An initializer can't return a future: add a static function that does.")
        }
        if facts.isAsync { return .byHand("It is async already: let it return the result instead of passing it on.") }
        switch shape {
        case .unknown(let alias):
            return .byHand("The typealias \(alias) isn't declared in the given paths: add the path that declares it.")
        case .other(let type):
            return .byHand("A handler of the type \(type) alone has no place for a success: use a Promise.")
        default: break
        }
        if let value = shape.futureType, value.contains("->") {
            return .byHand("It passes a closure on, which isn't Sendable: use a Promise of what the closure returns.")
        }
        if let value = shape.futureType, value.mentions("Any") || value.mentions("AnyObject") {
            return .byHand("\(value) isn't Sendable: await the call, with `withCompletionHandler { … }`.")
        }
        if facts.parameters.contains(where: \.isVariadic) {
            return .byHand("Variadic arguments can't be passed on: wrap each call with `future { … }`.")
        }
        if facts.parameters.indices.contains(where: { facts.parameters[$0].name == "_" && !handlers.contains($0) }) {
            return .byHand("A parameter without a name can't be passed on: name it, as in `_ value:`.")
        }
        if isShadowed, facts.typeName == nil {
            return .byHand("A parameter hides the function's name: rename it, as in `\(facts.name) value:`.")
        }
        let closure = "{ \(closureParameters)\(invocation) }"
        guard let result = facts.result else { return .future("future \(closure)") }
        guard result.isHandleType else {
            return .byHand(
                """
                The overload would lose the \(result) that it returns: if that stops the call, return a `CancelAction` in \
                `future(cancelToken: token) { … }`; if not, use a Promise, and return both.
                """)
        }
        return .cancellable("future(cancelToken: cancelToken) \(closure)")
    }

    /// The parameters of the closure, if the handlers can't be passed on as they are.
    public var closureParameters: String {
        if case .successAndFailure(nil, _) = shape { "success, failure in " } else { "" }
    }

    /// The call with the handlers: `try load(id: id, completion: $0)`.
    public var invocation: String {
        let arguments = facts.parameters.enumerated().map { index, parameter in
            (parameter.label.map { $0 + ": " } ?? "") + argument(at: index)
        }
        let receiver = isShadowed && facts.typeName != nil ? "self." : ""
        return (facts.isThrowing ? "try " : "") + receiver + facts.name + "("
            + arguments.joined(separator: ", ") + ")"
    }

    /// Whether a parameter of the overload has the function's name.
    private var isShadowed: Bool {
        facts.parameters.indices.contains { facts.parameters[$0].name == facts.name && !handlers.contains($0) }
    }

    private func argument(at index: Int) -> String {
        let parameter = facts.parameters[index]
        if let place = handlers.firstIndex(of: index) {
            if case .successAndFailure(nil, _) = shape {
                return place == 0 ? "{ @Sendable in success(()) }" : "failure"
            }
            return "$\(place)"
        }
        if parameter.type.hasPrefix("repeat ") { return "repeat each " + parameter.name.escaped }
        if parameter.type.hasPrefix("inout ") { return "&" + parameter.name.escaped }
        if parameter.closure?.isAutoclosure == true { return parameter.name + "()" }
        return parameter.name.escaped
    }
}

extension String {
    /// Whether it names a handle: what a call is canceled with.
    public var isHandleType: Bool {
        var name = wrappedType ?? self
        for prefix in ["any ", "some "] where name.hasPrefix(prefix) { name.removeFirst(prefix.count) }
        name = String(name.prefix { $0 != "<" })
        let suffixes = [
            "Task", "Request", "Token", "Handle", "Cancellable", "Cancelable", "Operation", "Subscription",
            "Disposable",
            "Progress", "Call", "WorkItem", "Canceller", "Job",
        ]
        return suffixes.contains { name.hasSuffix($0) }
    }
}

extension String {
    /// The name of a parameter, as it is written in an expression.
    public var escaped: String { keywords.contains(self) ? "`\(self)`" : self }
}

private let keywords: Set = [
    "as", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else", "enum", "extension",
    "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "internal", "is",
    "let",
    "nil", "operator", "private", "protocol", "public", "repeat", "return", "static", "struct", "subscript", "switch",
    "throw", "throws", "true", "try", "typealias", "var", "where", "while",
]
