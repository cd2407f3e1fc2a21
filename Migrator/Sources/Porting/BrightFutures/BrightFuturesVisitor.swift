import SourceFiles
import SwiftSyntax

/// Finds the calls of BrightFutures.
final class BrightFuturesVisitor: PortingVisitor {
    /// Variables that hold an `InvalidationToken`.
    ///
    /// Timers have a method `invalidate` too.
    private var tokens: Set<String> = []

    override func visit(_ node: SourceFileSyntax) -> SyntaxVisitorContinueKind {
        for line in node.statements.description.split(separator: "\n") where line.contains("InvalidationToken") {
            guard let declaration = line.firstRange(of: "let ") ?? line.firstRange(of: "var ") else { continue }
            tokens.insert(String(line[declaration.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
        }
        return .visitChildren
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        rename(node.name, at: node)
        if ["Future", "Promise"].contains(node.name.text) { constrainGenerics(in: node.genericArgumentClause) }
        return .visitChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        rename(node.baseName, at: node)
        return .visitChildren
    }

    private func rename(_ name: TokenSyntax, at node: some SyntaxProtocol) {
        switch name.text {
        case "Future": rewrite(BrightFuturesRow.future, at: node, [Edit(replacing: name, with: "TypedFuture")])
        case "Promise": rewrite(BrightFuturesRow.promise, at: node, [Edit(replacing: name, with: "TypedPromise")])
        case "NoError": rewrite(BrightFuturesRow.noError, at: node, [Edit(replacing: name, with: "Never")])
        case "InvalidationToken":
            rewrite(BrightFuturesRow.token, at: node, [Edit(replacing: name, with: "CancelToken")])
        default: break
        }
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.declName.baseName
        guard !(node.parent?.is(FunctionCallExprSyntax.self) ?? false), node.base != nil else { return .visitChildren }
        switch name.text {
        case "isCompleted", "isSuccess", "isFailure", "forcedValue":
            leave(BrightFuturesRow.state, at: name, because: "other types have properties of this name")
        default: break
        }
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if node.calledExpression.plainName == "materialize", let closure = node.trailingClosure, node.arguments.isEmpty
        {
            rewrite(
                BrightFuturesRow.materialize, at: node,
                [
                    Edit(
                        node.positionAfterSkippingLeadingTrivia
                            .utf8Offset..<closure.positionAfterSkippingLeadingTrivia.utf8Offset, "future(method: "),
                    Edit(inserting: ")", at: closure.endPositionBeforeTrailingTrivia),
                ])
        }
        if ["Future", "Promise"].contains(node.calledExpression.plainName ?? "") {
            switch node.arguments.first?.label?.text {
            case "value", "error": keep(BrightFuturesRow.value, at: node)
            case "result": keep(BrightFuturesRow.result, at: node)
            default: break
            }
        }
        if let member = node.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base {
            visitMethod(node, member.declName.baseName, base)
        }
        return .visitChildren
    }

    private func visitMethod(_ call: FunctionCallExprSyntax, _ name: TokenSyntax, _ base: ExprSyntax) {
        switch name.text {
        case "onComplete":
            visitContext(
                call, name, BrightFuturesRow.onComplete,
                left:
                    "its closure gets a `Try` here; write `onResult` for a `Result`, whose failure can be a cancellation"
            )
        case "onSuccess", "onFailure": visitContext(call, name, BrightFuturesRow.callbacks)
        case "recoverWith", "mapError": visitContext(call, name, BrightFuturesRow.operators)
        case "filter":
            if Chain(around: call).isBrightFutures {
                leave(
                    BrightFuturesRow.operators, at: name,
                    because: "`TypedFuture` has no `filter`: write `.future.filter`")
            }
        case "map", "flatMap", "recover", "zip":
            if Chain(around: call).isBrightFutures { visitContext(call, name, BrightFuturesRow.operators) }
        case "andThen":
            visitContext(
                call, name, BrightFuturesRow.andThen, left: "its closure gets the value here, and not the result")
        case "asyncValue": visitQueue(call, base)
        case "asyncResult":
            leave(
                BrightFuturesRow.asyncResult, at: name,
                because: "the closure throws here instead of returning a `Result`")
        case "flatten" where call.arguments.isEmpty:
            replaceCall(call, name, BrightFuturesRow.flatten, "flatMap(context: .immediate) { $0 }")
        case "asVoid": replaceCall(call, name, BrightFuturesRow.asVoid, "map(context: .immediate) { _ in }")
        case "delay": visitDelay(call, name)
        case "forced": leave(BrightFuturesRow.forced, at: name, because: "it throws here; await it if you can")
        case "promoteError", "promoteValue":
            leave(BrightFuturesRow.promote, at: name, because: "the error types around decide what takes its place")
        case "sequence", "traverse": keep(BrightFuturesRow.sequence, at: name)
        case "firstCompleted": keep(BrightFuturesRow.first, at: name)
        case "find" where call.onlyClosure != nil:
            leave(
                BrightFuturesRow.first, at: name, because: "`TypedFuture` has no `find`: write `.map(\\.future).find`")
        case "fold": visitFold(call, name)
        case "invalidate":
            if let receiver = base.lastName, tokens.contains(receiver) {
                rewrite(BrightFuturesRow.token, at: name, [Edit(replacing: name, with: "cancel")])
            }
        default: break
        }
    }

    /// The contexts of all versions, by name.
    private static let contexts = [
        "ImmediateExecutionContext": ".immediate", "immediateExecutionContext": ".immediate",
        "ImmediateOnMainExecutionContext": ".mainImmediate",
        "immediateOnMainExecutionContext": ".mainImmediate",
        "maxStackDepthExecutionContext": ".immediate",
    ]

    /// The context in the parentheses gets a label.
    private func visitContext(_ call: FunctionCallExprSyntax, _ name: TokenSyntax, _ row: Row, left: String? = nil) {
        if let left { leave(row, at: name, because: left) } else { keep(row, at: name) }
        guard let argument = call.arguments.first, argument.label == nil,
            !argument.expression.is(ClosureExprSyntax.self), call.onlyClosure != nil
        else { return }
        let value = argument.expression
        let start = value.positionAfterSkippingLeadingTrivia
        if let context = value.plainName.flatMap({ Self.contexts[$0] }) {
            rewrite(BrightFuturesRow.immediate, at: value, [Edit(replacing: value, with: "context: \(context)")])
        } else if let member = value.as(MemberAccessExprSyntax.self), let base = member.base {
            let tail = Edit(
                removingFrom: base.endPositionBeforeTrailingTrivia, to: value.endPositionBeforeTrailingTrivia)
            switch member.declName.baseName.text {
            case "context":
                rewrite(BrightFuturesRow.context, at: value, [Edit(inserting: "context: ", at: start), tail])
            case "validContext":
                rewrite(BrightFuturesRow.valid, at: value, [Edit(inserting: "cancelToken: ", at: start), tail])
            default: rewrite(BrightFuturesRow.context, at: value, [Edit(inserting: "context: ", at: start)])
            }
        } else {
            leave(
                BrightFuturesRow.context, at: value,
                because: "it is `context:` if the type conforms to `ExecutionContext` here")
        }
    }

    private func visitQueue(_ call: FunctionCallExprSyntax, _ base: ExprSyntax) {
        guard let closure = call.trailingClosure else { return }
        rewrite(
            BrightFuturesRow.asyncValue, at: call,
            [
                Edit(inserting: "future(context: ", at: base.positionAfterSkippingLeadingTrivia),
                Edit(
                    base.endPositionBeforeTrailingTrivia
                        .utf8Offset..<closure.positionAfterSkippingLeadingTrivia.utf8Offset, ") "),
            ])
    }

    private func visitDelay(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        guard let argument = call.arguments.first?.expression, call.arguments.count == 1 else { return }
        guard let member = argument.as(MemberAccessExprSyntax.self), let number = member.base,
            ["seconds", "milliseconds", "microseconds", "nanoseconds"].contains(member.declName.baseName.text)
        else { return leave(BrightFuturesRow.delay, at: name, because: "its time has to become a `Duration`") }
        let unit = member.declName.baseName.text
        rewrite(
            BrightFuturesRow.delay, at: name,
            [Edit(replacing: argument, with: ".\(unit)(\(number.trimmedDescription))")])
    }

    private func visitFold(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        guard let initial = call.arguments.first, call.arguments.count == 2, let last = call.arguments.last,
            last.label?.text == "f", let closure = last.expression.as(ClosureExprSyntax.self),
            let rightParen = call.rightParen
        else { return }
        rewrite(
            BrightFuturesRow.fold, at: name,
            [
                Edit(inserting: "initial: ", at: initial.positionAfterSkippingLeadingTrivia),
                Edit(
                    initial.expression.endPositionBeforeTrailingTrivia
                        .utf8Offset..<closure.positionAfterSkippingLeadingTrivia.utf8Offset, ") "),
                Edit(
                    removingFrom: closure.endPositionBeforeTrailingTrivia,
                    to: rightParen.endPositionBeforeTrailingTrivia),
            ])
    }

    private func replaceCall(_ call: FunctionCallExprSyntax, _ name: TokenSyntax, _ row: Row, _ text: String) {
        rewrite(
            row, at: name,
            [
                Edit(
                    name.positionAfterSkippingLeadingTrivia
                        .utf8Offset..<call.endPositionBeforeTrailingTrivia.utf8Offset, text)
            ])
    }
}

extension Chain {
    /// Whether the chain is certainly one of futures, and not of arrays or optionals.
    fileprivate var isBrightFutures: Bool {
        let sure: Set<String> = [
            "onSuccess", "onFailure", "onComplete", "recoverWith", "mapError", "asVoid", "promoteError", "future",
            "forced", "andThen", "flatten", "asyncValue",
        ]
        return !sure.isDisjoint(with: names) || ["Future", "future", "materialize"].contains(baseName ?? "")
    }
}
