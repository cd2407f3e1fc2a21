/// A function or an initializer with a completion handler.
public struct CallbackFunction: Sendable {
    /// How to call it by `future { }`.
    public enum Call: Sendable, Hashable {
        /// `future { load(id: id, completion: $0) }`
        case future(String)
        /// `future(cancelToken: cancelToken) { load(id: id, completion: $0) }`, as it returns a handle.
        case cancellable(String)
        /// `future { }` doesn't take it, for this reason, and with this advice.
        case byHand(String)
    }

    /// The function as it is written.
    public var facts: FunctionFacts
    /// Its file.
    public var path: String
    /// The indices of its completion handlers: one, or one for success and one for failure.
    public var handlers: [Int]
    /// The type of the completion handler, or of the one for success; nil if its typealias isn't declared in the files.
    public var closure: ClosureType?
    /// The typealias of the completion handler.
    public var alias: String?
    /// The shape.
    public var shape: Shape
    /// How to call it.
    public var call: Call

    /// The labels without those of the completion handlers.
    public var labelsOfOverload: [String] {
        facts.parameters.indices.filter { !handlers.contains($0) }.map { facts.parameters[$0].labelInName }
    }

    /// The type of the handle that it returns.
    public var handle: String? { facts.result }

    /// Whether the system calls it, and passes the completion handler.
    ///
    /// A method of a delegate, of a widget's provider, or of an intent's handler: there is nothing to wrap, but its own
    /// implementation can become async, with `callback`.
    public var isCalledBySystem: Bool {
        guard !facts.isRequirement, !facts.isInitializer else { return false }
        return isDelegateMethod || isProviderMethod
    }

    /// Whether it looks like `webView(_ webView: WKWebView, decidePolicyFor…)`.
    private var isDelegateMethod: Bool {
        if facts.name == "didReceive", facts.parameters.last?.label == "withContentHandler" { return true }
        // Its second parameter is the handler: `performFetchWithCompletionHandler`.
        let isShort = facts.parameters.count == 2 && facts.fullName.hasSuffix("WithCompletionHandler:)")
        guard isShort || facts.parameters.count > 2, facts.parameters[0].label == nil else { return false }
        let firstType = facts.parameters[0].type.lowercased()
        let verbs = [
            "did", "will", "should", "need", "perform", "decide", "run", "handle", "request", "open", "continue",
        ]
        let senders = [
            "application", "scene", "center", "session", "view", "manager", "controller", "provider", "store",
        ]
        let name = facts.name.lowercased()
        return senders.contains { name.hasSuffix($0) } && firstType.hasSuffix(name.suffix(4))
            && facts.parameters.dropFirst().contains { $0.label?.words.first.map(verbs.contains) == true }
    }

    private var isProviderMethod: Bool {
        let inherits = facts.inherited.contains { type in
            [
                "TimelineProvider", "IntentHandling", "IntentTimelineProvider", "CLKComplicationDataSource",
                "WCSessionDelegate",
            ]
            .contains { type.hasSuffix($0) }
        }
        let names = [
            "getSnapshot", "getTimeline", "getCurrentTimelineEntry", "getTimelineEntries", "handle", "confirm",
        ]
        return inherits
            && (names.contains(facts.name) || facts.name.hasPrefix("resolve") || facts.name.hasPrefix("provide"))
    }
}

extension CallbackFunction {
    /// Looks for the completion handlers of a function, and returns nil if it has none.
    public init?(_ facts: FunctionFacts, path: String, aliases: AliasTable) {
        if facts.result?.hasSuffix("View") == true || facts.returnsFuture { return nil }
        // A call of gRPC's that streams calls its handler for each response.
        if facts.result?.words.contains("streaming") == true { return nil }
        var found: [(index: Int, closure: ClosureType?, alias: String?)] = []
        for (index, parameter) in facts.parameters.enumerated() {
            guard let (closure, alias) = aliases.closure(of: parameter, in: facts, path: path) else { continue }
            let label = [parameter.label, parameter.name, alias].compactMap { $0 }
            var assumed = closure ?? ClosureType(parameters: [])
            if closure == nil { assumed.isEscaping = true }
            guard
                role(of: label, closure: assumed, function: facts.name, isInitializer: facts.isInitializer)
                    == .completion
            else { continue }
            found.append((index, closure, alias))
        }
        guard let only = found.count > 2 ? found.last : found.first else { return nil }
        self.facts = facts
        self.path = path
        handlers = [only.index]
        closure = only.closure
        alias = only.alias
        shape = only.closure.map(Shape.init) ?? .unknown(only.alias ?? "")
        call = .byHand("")
        if found.count == 2, let failure = found[1].closure {
            if let pair = pairShape(only.closure, failure) {
                shape = pair
                handlers.append(found[1].index)
            } else if let success = only.closure, isNamed(found[1].index, successWords),
                let pair = pairShape(failure, success)
            {
                shape = pair
                handlers = [found[1].index, only.index]
                closure = failure
                alias = found[1].alias
            } else {
                handlers = [found[1].index]
                closure = found[1].closure
                alias = found[1].alias
                shape = found[1].closure.map(Shape.init) ?? .unknown(found[1].alias ?? "")
            }
        }
        if handlers.count == 1, !shape.hasError, let closure, isNamed(handlers[0], failureWords) {
            shape = .other("(\(closure.parameters.joined(separator: ", ")))")
        }
        call = waysOfCalling()
        let others = facts.parameters.indices.filter { index in
            guard !handlers.contains(index), let closure = facts.parameters[index].closure else { return false }
            let isFound = found.contains { $0.index == index }
            return isFound || closure.canOutliveCall && isNamed(index, outcomeWords)
        }
        // With `success`, `failure` and `completion`, each call may end with `completion`.
        let alternatives = handlers + (others.count == 1 ? others : [])
        if !others.isEmpty, alternatives.contains(where: { isNamed($0, outcomeWords) }) {
            call = .byHand("It calls one of several handlers: use a Promise that each of them completes.")
        }
    }

    private func isNamed(_ index: Int, _ words: Set<String>) -> Bool {
        let names = [facts.parameters[index].label, facts.parameters[index].name].compactMap { $0 }
        return !words.isDisjoint(with: names.flatMap(\.words))
    }

    /// The shape of two closures, one for success and one for failure.
    private func pairShape(_ success: ClosureType?, _ failure: ClosureType) -> Shape? {
        guard let success, success.parameters.count <= 1, failure.parameters.count == 1,
            failure.parameters[0].isErrorType, success.parameters.first?.isErrorType != true
        else { return nil }
        return .successAndFailure(success.parameters.first, error: failure.parameters[0])
    }
}

private let successWords: Set = ["success", "succeeded", "fulfill", "resolve"]
private let failureWords: Set = ["failure", "failed", "fail", "error", "errors", "reject"]
/// Words for one of several outcomes, of which a call has one.
private let outcomeWords = successWords.union(failureWords).union([
    "cancel", "canceled", "cancelled", "cancellation", "decline", "declined", "timeout",
])
