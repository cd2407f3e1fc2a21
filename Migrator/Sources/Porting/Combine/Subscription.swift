import SourceFiles
import SwiftSyntax

/// A chain that ends in a `sink`, and whose cancellable an object keeps.
///
///     taps.receive(on: DispatchQueue.main).sink { show($0) }.store(in: &cancellables)
///     subscription = taps.sink { show($0) }
struct Subscription {
    let chain: Chain
    let sink: Chain.Link
    /// The `receive(on: DispatchQueue.main)` directly before the `sink`.
    let receive: Chain.Link?
    /// The `store(in:)` directly after the `sink`.
    let store: Chain.Link?
    /// The set of the `store`, or the variable that the chain is assigned to: `cancellables`, `self.cancellables`.
    let keeper: ExprSyntax

    /// The subscription of a call named `sink`.
    ///
    /// Nil if nothing keeps it.
    init?(sink call: FunctionCallExprSyntax) {
        chain = Chain(around: call)
        guard let index = chain.links.firstIndex(where: { $0.call.id == call.id }) else { return nil }
        let sink = chain.links[index]
        let before = index > 0 ? chain.links[index - 1] : nil
        receive = before.flatMap { $0.isHopToMain && $0.call.id == sink.base?.id ? $0 : nil }
        self.sink = sink
        if chain.root.id == call.id {
            store = nil
            guard let list = call.parent?.as(ExprListSyntax.self), list.count == 3, let first = list.first,
                list.dropFirst().first?.is(AssignmentExprSyntax.self) ?? false
            else { return nil }
            keeper = first
        } else {
            guard let next = chain.links.dropFirst(index + 1).first, next.name.text == "store",
                next.base?.id == ExprSyntax(call).id, chain.root.id == next.call.id,
                let set = next.call.argument("in")?.expression.as(InOutExprSyntax.self)
            else { return nil }
            store = next
            keeper = set.expression
        }
    }

    /// The name of the property that keeps the subscription.
    ///
    /// Nil if it is the property of another object.
    var keeperName: String? {
        guard let member = keeper.as(MemberAccessExprSyntax.self) else { return keeper.plainName }
        return member.base?.trimmedDescription == "self" ? member.declName.baseName.text : nil
    }

    /// `self.` if the property is written with it.
    var keeperPrefix: String { keeper.is(MemberAccessExprSyntax.self) ? "self." : "" }

    /// The closure for the values, if nothing else is passed to the `sink`, or if both closures do nothing.
    var closure: ClosureExprSyntax? {
        if let closures = sink.call.closuresOfSink, closures.areEmpty { return closures.value }
        guard sink.call.additionalTrailingClosures.isEmpty else { return nil }
        let arguments = sink.call.arguments
        if let closure = sink.call.trailingClosure { return arguments.isEmpty ? closure : nil }
        guard arguments.count == 1, let argument = arguments.first, argument.label?.text == "receiveValue" else {
            return nil
        }
        return argument.expression.as(ClosureExprSyntax.self)
    }

    /// The statement that the subscription is.
    var statement: CodeBlockItemSyntax? {
        (store == nil ? chain.root.parent?.parent : Syntax(chain.root))?.parent?.as(CodeBlockItemSyntax.self)
    }

    /// Whether a comment stands in the text that would be removed.
    var hasComment: Bool {
        let links = [receive, store].compactMap { $0 }
        let removed = links.flatMap { [$0.period].compactMap { $0 } + $0.call.tokens(from: $0.name).dropLast() }
        let head = sink.call.tokens(from: sink.name).prefix { $0.id != closure?.leftBrace.id }
        return (removed + head).contains { $0.leadingTrivia.hasComment || $0.trailingTrivia.hasComment }
            || links.contains { $0.base?.trailingTrivia.hasComment ?? false }
    }

    /// The edits of the `sink`: `onSuccess(cancelToken: token.token) { … }`.
    func sinkEdits(cancelToken: String, isolated: Bool) -> [Edit] {
        guard let closure else { return [] }
        let context = receive == nil ? "context: .immediate, " : ""
        let head = "onSuccess(\(context)cancelToken: \(cancelToken)" + (isolated ? ", isolated: " : ") ")
        let start = sink.name.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = closure.endPositionBeforeTrailingTrivia.utf8Offset
        return [
            Edit(start..<closure.positionAfterSkippingLeadingTrivia.utf8Offset, head),
            Edit(end..<sink.call.endPositionBeforeTrailingTrivia.utf8Offset, isolated ? ")" : ""),
        ]
    }
}

extension Chain.Link {
    var base: ExprSyntax? { call.calledExpression.as(MemberAccessExprSyntax.self)?.base }
    fileprivate var period: TokenSyntax? { call.calledExpression.as(MemberAccessExprSyntax.self)?.period }

    fileprivate var isHopToMain: Bool {
        guard name.text == "receive", call.arguments.count == 1, let argument = call.argument("on") else {
            return false
        }
        return argument.expression.trimmedDescription == "DispatchQueue.main"
    }

    /// Removes the call from its chain.
    var removal: [Edit] { call.removalFromChain.map { [$0] } ?? [] }
}

extension FunctionCallExprSyntax {
    /// The tokens of the call from one on.
    fileprivate func tokens(from start: TokenSyntax) -> [TokenSyntax] {
        tokens(viewMode: .sourceAccurate).filter { $0.position >= start.position }
    }
}
