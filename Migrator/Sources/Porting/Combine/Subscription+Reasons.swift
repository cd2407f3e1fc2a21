import SwiftSyntax

extension Subscription {
    /// Why the `sink` is left, and what to write.
    ///
    /// Nil if one call here does the same.
    func reasonToLeave(on isolation: Isolation, subjects: Subjects) -> String? {
        // The value of a variable that is a promise is no stream yet.
        let locals = Array(sequence(first: chain) { subjects.isReplaced($0.receiver) ? nil : $0.localValue })
        if let first = locals.lazy.compactMap({ $0.stays(upTo: sink, subjects) }).first { return first }
        if sink.call.handlesCompletion { return completionReason }
        guard closure != nil else { return "`onSuccess(cancelToken: token.token)` takes a closure" }
        guard statement != nil, !hasComment else { return sinkReason }
        let operators =
            chain.links.prefix { $0.call.id != sink.call.id && $0.call.id != receive?.call.id }
            + locals.dropFirst().flatMap(\.links)
        if let name = operators.first(where: isLeft)?.name.text
            ?? locals.flatMap(\.names).first(where: { $0 == "publisher" })
        {
            return "`\(name)` before it is left: then write `onSuccess(cancelToken: token.token) { … }`"
        }
        if let name = operators.first(where: { endingOperators.contains($0.name.text) })?.name.text {
            return "a failure before `\(name)` ends the publisher, and a stream goes on: if it has one value, write "
                + "`onSuccess(cancelToken: token.token) { … }`"
        }
        if isolation == .other {
            return "`onSuccess(cancelToken: token.token, isolated: { … })` runs the closure later, on the actor"
        }
        guard receive == nil else { return nil }
        if isolation == .main {
            return "the closure runs at once; `onSuccess(cancelToken: token.token, isolated: { … })` runs it later, on "
                + "the main actor"
        }
        if let name = operators.first(where: { closureOperators.contains($0.name.text) })?.name.text {
            return
                "the closure of `\(name)` runs later here: pass `context: .immediate` to it and to `onSuccess`, or to "
                + "none if both can run later, on the main queue"
        }
        return nil
    }
}

/// The note for a `sink` of which nothing else is known.
let sinkReason = "a token takes the place of the cancellable: `onSuccess(cancelToken: token.token) { … }`"

/// The note for a `sink` with a closure for the completion.
let completionReason =
    "`onComplete(cancelToken: token.token) { … }` gets values and failures, and a stream goes on after a failure; "
    + "`onFinish` runs at its end"

extension FunctionCallExprSyntax {
    /// Whether a `sink` has a closure for the completion, and one of the two does something.
    ///
    /// A stream goes on after a failure, which makes no difference if nothing uses the values.
    var handlesCompletion: Bool {
        guard argument("receiveCompletion") != nil || !additionalTrailingClosures.isEmpty else { return false }
        return !(closuresOfSink?.areEmpty ?? false)
    }

    /// The closures of `sink(receiveCompletion: { … }, receiveValue: { … })` and `sink { … } receiveValue: { … }`.
    var closuresOfSink: ClosuresOfSink? {
        let all =
            arguments.map(\.expression) + [trailingClosure.map { ExprSyntax($0) }].compactMap { $0 }
            + additionalTrailingClosures.map { ExprSyntax($0.closure) }
        guard all.count == 2, let completion = all[0].as(ClosureExprSyntax.self),
            let value = all[1].as(ClosureExprSyntax.self)
        else { return nil }
        return ClosuresOfSink(completion: completion, value: value)
    }
}

/// The two closures of a `sink`.
struct ClosuresOfSink {
    let completion: ClosureExprSyntax
    let value: ClosureExprSyntax

    /// Whether both are `{ _ in }`.
    var areEmpty: Bool { [completion, value].allSatisfy { $0.statements.isEmpty && $0.signature?.capture == nil } }
}

/// Operators that only publishers have in such a chain, and that no call replaces in place.
private let leftOperators: Set = [
    "catch", "retry", "timeout", "delay", "first", "last", "collect", "count", "contains", "allSatisfy", "prepend",
    "append", "zip", "merge", "print", "decode", "encode", "buffer", "output", "drop", "replaceEmpty", "min", "max",
    "breakpoint", "breakpointOnError", "measureInterval", "tryScan", "tryReduce", "tryFirst", "tryLast", "tryPrefix",
    "tryDrop", "tryRemoveDuplicates", "tryContains", "tryAllSatisfy",
]

/// Whether a call of a chain has no call here that replaces it in place.
func isLeft(_ link: Chain.Link) -> Bool {
    let call = link.call
    switch link.name.text {
    case "flatMap": return call.argument("maxPublishers") != nil
    case "combineLatest":
        return call.arguments.count != 1 || call.trailingClosure != nil
            || call.arguments.tokens(viewMode: .sourceAccurate).contains(where: isLeft)
    case "map": return call.arguments.count > 1
    case "prefix": return call.arguments.first?.label != nil
    case let name:
        return leftOperators.contains(name) || sureRows[name] != nil && CombineVisitor.edits(call, link.name) == nil
    }
}

/// Whether an operator in the argument of a `combineLatest` is left, or may run its closure later.
private func isLeft(_ name: TokenSyntax) -> Bool {
    if [leftOperators, endingOperators, closureOperators].contains(where: { $0.contains(name.text) }) { return true }
    guard sureRows[name.text] != nil else { return false }
    let call = name.parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
    return call.flatMap { CombineVisitor.edits($0, name) } == nil
}

/// Operators that end a publisher with its first failure; `recover` is what an earlier run has written.
private let endingOperators: Set = ["replaceError", "recover"]

/// Operators whose closure runs in a context.
private let closureOperators: Set = [
    "map", "tryMap", "compactMap", "tryCompactMap", "filter", "tryFilter", "scan", "reduce", "flatMap", "mapError",
    "replaceError", "replaceNil", "removeDuplicates", "distinct", "flatMapLatest", "asyncMap",
]

extension Chain {
    /// Why the chain begins with what stays a publisher.
    fileprivate func stays(upTo sink: Link, _ subjects: Subjects) -> String? {
        if subjects.isReplaced(root) { return promiseReason }
        let tokens = root.tokens(viewMode: .sourceAccurate).prefix { $0.position < sink.name.position }
        let hasProjection = tokens.contains { $0.text.hasPrefix("$") && $0.text.dropFirst().first?.isLetter ?? false }
        if hasProjection || tokens.contains(where: { $0.text == "objectWillChange" }) {
            return "the chain begins with a `@Published` property, which stays"
        }
        for expression in tokens.compactMap(\.named)
        where !expression.isUsedAsStream && !expression.isInClosure(below: root) {
            if subjects.kind(of: expression) == .ported { return promiseReason }
            guard let reason = subjects.reasonToLeave(expression) ?? expression.reasonByName(subjects) else { continue }
            let ours =
                subjects.kind(of: expression) == .erased ? "FutureStream`, write `" : "StreamPromise`, write `.stream."
            return "\(reason): with a `\(ours)onSuccess(cancelToken: token.token) { … }`"
        }
        if base.plainName == "Publishers" || base.as(FunctionCallExprSyntax.self)?.isOfPublishers ?? false {
            return "it begins with `Publishers`: then write `onSuccess(cancelToken: token.token) { … }`"
        }
        return nil
    }

    /// The value of the local variable that this chain begins with: `a.filter { f($0) }` for `p` in `p.sink { … }`.
    fileprivate var localValue: Chain? {
        guard let name = receiver.plainName else { return nil }
        for block in sequence(first: Syntax(root), next: \.parent) {
            let variables = block.as(CodeBlockItemListSyntax.self)?.compactMap { $0.item.as(VariableDeclSyntax.self) }
            let bindings = (variables ?? []).flatMap(\.bindings)
            if let found = bindings.last(where: {
                $0.pattern.trimmedDescription == name && $0.endPosition <= root.position
            }) {
                return found.initializer.map { Chain(root: $0.value) }
            }
        }
        return nil
    }
}

extension FunctionCallExprSyntax {
    /// Whether this is a call like `Publishers.Merge(a, b)`.
    fileprivate var isOfPublishers: Bool { calledExpression.trimmedDescription.hasPrefix("Publishers.") }
}

extension TokenSyntax {
    /// The expression that ends with this name: `taps`, `model.taps`.
    fileprivate var named: ExprSyntax? {
        guard let reference = parent?.as(DeclReferenceExprSyntax.self) else { return nil }
        guard let member = reference.parent?.as(MemberAccessExprSyntax.self), member.declName.id == reference.id else {
            return ExprSyntax(reference)
        }
        return ExprSyntax(member)
    }
}

extension ExprSyntax {
    /// Whether the stream of this subject is used.
    fileprivate var isUsedAsStream: Bool {
        parent?.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "stream"
    }

    /// Whether this is in a closure that gives no publisher, which only `flatMap` has.
    fileprivate func isInClosure(below root: ExprSyntax) -> Bool {
        let parents = sequence(first: Syntax(self), next: \.parent).prefix { $0.id != root.id }
        return parents.contains { node in
            let called = node.is(ClosureExprSyntax.self) ? node.parent?.as(FunctionCallExprSyntax.self) : nil
            let member = called?.calledExpression.as(MemberAccessExprSyntax.self)
            return member.map { $0.declName.baseName.text != "flatMap" } ?? false
        }
    }

    /// The reason for a name that no file of the run declares.
    fileprivate func reasonByName(_ subjects: Subjects) -> String? {
        let isNamed = lastName?.lowercased().hasSuffix("subject") ?? false
        return isNamed && subjects.kind(of: self) == nil ? leftSubjectReason : nil
    }
}
