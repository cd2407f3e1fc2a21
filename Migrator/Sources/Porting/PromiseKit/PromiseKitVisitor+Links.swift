import SourceFiles
import SwiftSyntax

extension PromiseKitVisitor {
    /// A call in a chain: `.then`, `.done`, `.catch`.
    func visitLink(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        // Other types have methods of these names too: `client.get(path) { … }`.
        guard call.hasArgumentsOfLink, !call.isOperatorOfCombine(name.text) else { return }
        let chain = Chain(around: call)
        switch name.text {
        case "then": renameLink(call, name, PromiseKitRow.then, "flatMap")
        case "done": visitDone(call, name)
        case "get" where call.onlyClosure != nil && chain.isPromiseKit: visitGet(call, name)
        case "get" where call.onlyClosure != nil && chain.receiver.is(FunctionCallExprSyntax.self):
            leave(PromiseKitRow.get, at: name, because: "only its type says whether it is a promise's")
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
            if isAwaited || chain.isPromiseKit { visitAmbiguous(call, name) }
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

    private func visitDone(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        guard call.onlyClosure != nil else {
            return leave(PromiseKitRow.done, at: name, because: "it is given a function: `.onSuccess { show($0) }`")
        }
        renameLink(call, name, PromiseKitRow.done, call.isLastUseOfValue ? "onSuccess" : "map")
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
        remark(cancellationRemark, at: name)
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
        renameLink(call, name, PromiseKitRow.finally, "ensure")
    }

    /// The closure of `recover` gives a promise, or a value in a `Guarantee`, which only its type says.
    private func visitRecover(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        if call.argument("only") != nil {
            return leave(PromiseKitRow.only, at: name, because: "the closure has to look at the error")
        }
        let result = call.onlyClosure?.signature?.returnClause?.type.trimmedDescription ?? ""
        if call.argument("policy") == nil, result.hasPrefix("Promise<") || result.hasPrefix("Guarantee<") {
            remark(cancellationRemark, at: name)
            return renameLink(call, name, PromiseKitRow.recover, "recoverWith")
        }
        leave(
            PromiseKitRow.recover, at: name,
            because: "it is `recover` if the closure returns a value, and `recoverWith` if it returns a future")
    }

    private func visitCauterize(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        guard let removal = call.removalFromChain else {
            let isConditional = call.conditionalChain != nil
            return leave(
                PromiseKitRow.cauterize, at: name,
                because: isConditional ? "it stands in an `#if`: remove it" : "a comment stands in it")
        }
        let chain = Chain(around: call)
        guard chain.isStatement, let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base else {
            return rewrite(PromiseKitRow.cauterize, at: name, [removal])
        }
        if chain.links.count == 1, !chain.base.is(FunctionCallExprSyntax.self), let removal = call.removalOfStatement {
            return rewrite(PromiseKitRow.cauterize, at: name, [removal])
        }
        let isUsed = base.as(FunctionCallExprSyntax.self)?.mayBeIgnored ?? false
        let ignoring = isUsed ? [] : [Edit(inserting: "_ = ", at: chain.root.positionAfterSkippingLeadingTrivia)]
        rewrite(PromiseKitRow.cauterize, at: name, [removal] + ignoring)
    }
}

/// The note for a file with a `catch` or a `recover` that is replaced.
private let cancellationRemark =
    "PromiseKit's `catch` and `recover` skip cancellation errors such as `URLError.cancelled` and "
    + "`CocoaError.userCancelled`; `onFailure` and `recoverWith` don't: if the call can be canceled, begin the closure "
    + "with `if (error as? URLError)?.code == .cancelled { return }`"

extension FunctionCallExprSyntax {
    /// Whether the call is `queue.async(.promise) { … }`.
    var startsPromise: Bool { arguments.first?.expression.trimmedDescription == ".promise" }

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

    /// Whether this is the `done` at the end of a chain whose value isn't used, so that nothing waits for its closure.
    fileprivate var isLastUseOfValue: Bool {
        let chain = Chain(around: self)
        let following = chain.links(after: self)
        let ends = following.allSatisfy {
            ["catch", "onFailure", "ensure", "finally", "cauterize"].contains($0.name.text)
        }
        // `ensure` and `finally` wait for this closure. Callbacks of one future wait for each other only on one queue.
        let waiting = following.filter { ["ensure", "finally"].contains($0.name.text) }
        let isOrdered = waiting.isEmpty || (waiting.map(\.call) + [self]).allSatisfy(\.runsOnMain)
        // `catch` and `cauterize` give no promise, so they also show that the value isn't used.
        let isStatement = chain.isStatement || !Set(chain.names).isDisjoint(with: ["catch", "cauterize"])
        return ends && isOrdered && isStatement && !(onlyClosure?.throwsErrors ?? true)
    }

    /// Whether the compiler allows to ignore the result of the call that takes the place of this one.
    fileprivate var mayBeIgnored: Bool {
        switch calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text {
        case "done": isLastUseOfValue
        case "catch", "ensure", "finally", "onSuccess", "onFailure", "onComplete": true
        default: false
        }
    }

    /// Whether the closure runs on the main queue, the default.
    var runsOnMain: Bool {
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
