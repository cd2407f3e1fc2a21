import SourceFiles
import SwiftSyntax

extension PromiseKitVisitor {
    /// A call in a chain: `.then`, `.done`, `.catch`.
    func visitLink(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        // Other types have methods of these names too: `client.get(path) { … }`.
        guard call.hasArgumentsOfLink, !call.isOperatorOfCombine(name.text) else { return }
        switch name.text {
        case "then": renameLink(call, name, PromiseKitRow.then, "flatMap")
        case "done": visitDone(call, name)
        case "get" where call.onlyClosure != nil: visitGet(call, name)
        case "tap" where call.onlyClosure != nil:
            leave(PromiseKitRow.tap, at: name, because: "it gets a `Try` here and not PromiseKit's result")
        case "catch": visitCatch(call, name)
        case "ensure": renameLink(call, name, PromiseKitRow.ensure, "ensure")
        case "ensureThen": leave(PromiseKitRow.ensureThen, at: name, because: "two calls take its place")
        case "finally": visitFinally(call, name)
        case "recover": visitRecover(call, name)
        case "cauterize": visitCauterize(call, name)
        case "thenMap", "thenFlatMap": leave(PromiseKitRow.thenMap, at: name, because: "two calls take its place")
        case "map", "compactMap", "asVoid", "wait", "async", "mapValues", "compactMapValues", "flatMapValues",
            "filterValues", "sortedValues":
            // Collections have methods of these names too.
            let isAwaited = name.text == "async" && call.arguments.isEmpty && call.trailingClosure == nil
            if isAwaited || Chain(around: call).isPromiseKit { visitAmbiguous(call, name) }
        default: break
        }
    }

    private func visitAmbiguous(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        switch name.text {
        case "map": renameLink(call, name, PromiseKitRow.map, "map")
        case "compactMap": renameLink(call, name, PromiseKitRow.compactMap, "compactMap")
        case "asVoid": keep(PromiseKitRow.asVoid, at: name)
        case "wait":
            leave(PromiseKitRow.wait, at: name, because: "it throws here, of a `Guarantee` too; await it if you can")
        case "async":
            guard call.arguments.isEmpty, let rightParen = call.rightParen else { return }
            rewrite(
                PromiseKitRow.async, at: name,
                [
                    Edit(
                        name.positionAfterSkippingLeadingTrivia
                            .utf8Offset..<rightParen.endPositionBeforeTrailingTrivia.utf8Offset, "value")
                ])
        default:
            leave(
                PromiseKitRow.collections, at: name,
                because: "the closure is for the elements: it moves inside of a `map`")
        }
    }

    /// Renames a call and its `on:`, if it has no flags.
    private func renameLink(_ call: FunctionCallExprSyntax, _ name: TokenSyntax, _ row: Row, _ newName: String) {
        if call.argument("flags") != nil {
            return leave(PromiseKitRow.flags, at: name, because: "a context of your own takes the place of the flags")
        }
        let arguments = contextEdits(call) + labelEdits(call, newName)
        if name.text == newName, arguments.isEmpty { return keep(row, at: name) }
        rewrite(row, at: name, (name.text == newName ? [] : [Edit(replacing: name, with: newName)]) + arguments)
    }

    /// The label of a closure or function inside of the parentheses.
    private func labelEdits(_ call: FunctionCallExprSyntax, _ newName: String) -> [Edit] {
        let labels = [
            "map": "mapping", "flatMap": "mapping", "recoverWith": "recovery", "andThen": "completion",
            "onSuccess": "completion", "onFailure": "completion", "onComplete": "completion",
        ]
        guard let argument = call.arguments.last, argument.label == nil, let label = labels[newName] else { return [] }
        if argument.expression.is(KeyPathExprSyntax.self), call.arguments.count == 1 { return [] }
        return [Edit(inserting: "\(label): ", at: argument.positionAfterSkippingLeadingTrivia)]
    }

    private func contextEdits(_ call: FunctionCallExprSyntax) -> [Edit] {
        guard let argument = call.argument("on"), let label = argument.label else { return [] }
        let value = argument.expression
        var edits = [Edit(replacing: label, with: "context")]
        switch value.trimmedDescription {
        case "nil":
            edits.append(Edit(replacing: value, with: "ImmediateContext()"))
            rewrite(PromiseKitRow.onNil, at: argument, [])
            return edits
        case ".main", "DispatchQueue.main": edits.append(Edit(replacing: value, with: "QueueContext.main"))
        case let text where text.hasPrefix(".global("):
            edits.append(Edit(inserting: "DispatchQueue", at: value.positionAfterSkippingLeadingTrivia))
        default: break
        }
        rewrite(PromiseKitRow.on, at: argument, [])
        return edits
    }

    private func visitDone(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        guard let closure = call.onlyClosure else {
            return leave(PromiseKitRow.done, at: name, because: "it is given a function: `.onSuccess { show($0) }`")
        }
        let chain = Chain(around: call)
        let following = chain.links(after: call)
        let ends = following.allSatisfy {
            ["catch", "onFailure", "ensure", "finally", "cauterize"].contains($0.name.text)
        }
        // `ensure` and `finally` wait for this closure. Callbacks of one future wait for each other only on one queue.
        let waiting = following.filter { ["ensure", "finally"].contains($0.name.text) }
        let isOrdered = waiting.isEmpty || (waiting.map(\.call) + [call]).allSatisfy(\.runsOnMain)
        // The end of a chain whose value isn't used. `catch` and `cauterize` give no promise, so they show it too.
        let isStatement = chain.isStatement || !Set(chain.names).isDisjoint(with: ["catch", "cauterize"])
        let isLast = ends && isOrdered && isStatement && !closure.throwsErrors
        renameLink(call, name, PromiseKitRow.done, isLast ? "onSuccess" : "map")
    }

    private func visitGet(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        guard let closure = call.onlyClosure, !closure.throwsErrors else {
            return leave(
                PromiseKitRow.get, at: name, because: "its closure throws: write `.map { try note($0); return $0 }`")
        }
        renameLink(call, name, PromiseKitRow.get, "andThen")
    }

    private func visitCatch(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        if call.argument("policy") != nil {
            return leave(
                PromiseKitRow.policy, at: name, because: "`onFailure` is silent for a canceled future: add `onCancel`")
        }
        if call.argument("only") != nil {
            return leave(PromiseKitRow.only, at: name, because: "the closure has to look at the error")
        }
        guard call.onlyClosure != nil else {
            return leave(PromiseKitRow.catch, at: name, because: "it is given a function: `.onFailure { show($0) }`")
        }
        renameLink(call, name, PromiseKitRow.catch, "onFailure")
    }

    /// Like `finally`, `ensure` also runs when the future is canceled.
    private func visitFinally(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        let chain = Chain(around: call)
        let caught = chain.links.filter { ["catch", "onFailure"].contains($0.name.text) }
        guard caught.isEmpty || (caught.map(\.call) + [call]).allSatisfy(\.runsOnMain) else {
            return leave(
                PromiseKitRow.finally, at: name,
                because: "it waits for the closure of `catch`, which `ensure` does only on the same serial queue")
        }
        if chain.isStatement {
            also([Edit(inserting: "_ = ", at: chain.root.positionAfterSkippingLeadingTrivia)])
        }
        renameLink(call, name, PromiseKitRow.finally, "ensure")
    }

    /// The closure of `recover` gives a promise, or a value in a `Guarantee`, which only its type says.
    private func visitRecover(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        if call.argument("only") != nil {
            return leave(PromiseKitRow.only, at: name, because: "the closure has to look at the error")
        }
        let result = call.onlyClosure?.signature?.returnClause?.type.trimmedDescription ?? ""
        if call.argument("policy") == nil, result.hasPrefix("Promise<") || result.hasPrefix("Guarantee<") {
            return renameLink(call, name, PromiseKitRow.recover, "recoverWith")
        }
        leave(
            PromiseKitRow.recover, at: name,
            because: "it is `recover` if the closure returns a value, and `recoverWith` if it returns a future")
    }

    private func visitCauterize(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        guard let removal = call.removalFromChain else {
            return leave(PromiseKitRow.cauterize, at: name, because: "a comment stands in it")
        }
        var edits = [removal]
        let chain = Chain(around: call)
        // The result of a callback may be ignored, and that of another call not.
        if chain.isStatement, !["done", "catch"].contains(chain.names.dropLast().last) {
            edits.append(Edit(inserting: "_ = ", at: chain.root.positionAfterSkippingLeadingTrivia))
        }
        rewrite(PromiseKitRow.cauterize, at: name, edits)
    }
}

extension FunctionCallExprSyntax {
    /// Whether the call is `queue.async(.promise) { … }`.
    fileprivate var startsPromise: Bool { arguments.first?.expression.trimmedDescription == ".promise" }

    /// Whether the call has the arguments of a call in a chain of promises: one closure or function, and labels of
    /// PromiseKit.
    fileprivate var hasArgumentsOfLink: Bool {
        let unlabeled = arguments.filter { $0.label == nil }.count + (trailingClosure == nil ? 0 : 1)
        return unlabeled <= 1 && additionalTrailingClosures.isEmpty
            && arguments.allSatisfy { ["on", "flags", "policy", "only", nil].contains($0.label?.text) }
    }

    /// Whether the call is one of Combine: its chain has others of Combine, or the closure of `catch` returns a publisher.
    fileprivate func isOperatorOfCombine(_ name: String) -> Bool {
        if name == "catch", let result = onlyClosure?.signature?.returnClause {
            return !["Void", "()"].contains(result.type.trimmedDescription)
        }
        let operators: Set = [
            "eraseToAnyPublisher", "sink", "assign", "receive", "subscribe", "setFailureType", "handleEvents",
            "dataTaskPublisher", "publisher",
        ]
        guard !operators.isDisjoint(with: Chain(around: self).names) else { return false }
        let before = Chain(upTo: self)
        // A promise can be turned into a publisher: `load().done { a($0) }.publisher()`.
        return !operators.isDisjoint(with: before.names) || !before.hasCallOnlyOfPromises
    }

    /// Whether the closure runs on the main queue, the default.
    fileprivate var runsOnMain: Bool {
        guard let queue = argument("on") ?? argument("context") else { return true }
        return [".main", "DispatchQueue.main", "QueueContext.main"].contains(queue.expression.trimmedDescription)
    }
}

extension Chain {
    /// Whether the chain is certainly one of promises, and not of arrays or dictionaries.
    var isPromiseKit: Bool {
        if hasCallOnlyOfPromises || names.contains("catch") { return true }
        if links.contains(where: { $0.call.argument("on") != nil || $0.call.startsPromise }) { return true }
        guard let baseName else { return false }
        return ["Promise", "Guarantee", "promise", "guarantee"].contains(baseName)
    }

    /// Whether the chain has a call that neither collections nor publishers have.
    fileprivate var hasCallOnlyOfPromises: Bool {
        let sure: Set<String> = [
            "then", "done", "ensure", "cauterize", "thenMap", "asVoid", "finally", "recover", "ensureThen",
            "firstValue", "lastValue",
        ]
        return !sure.isDisjoint(with: names) || baseName.map(["firstly", "when", "race", "after"].contains) ?? false
    }
}
