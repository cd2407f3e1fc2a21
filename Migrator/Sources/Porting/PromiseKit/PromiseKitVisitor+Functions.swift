import SourceFiles
import SwiftSyntax

extension PromiseKitVisitor {
    func visitWhen(_ call: FunctionCallExprSyntax) {
        guard let first = call.arguments.first, call.trailingClosure == nil else { return }
        let isConcurrent = call.argument("concurrently") != nil
        switch first.label?.text {
        case "fulfilled" where isConcurrent:
            leave(PromiseKitRow.concurrently, at: call, because: "`traverse` takes the items and not a generator")
        case "fulfilled": visitWhenAll(call, first, PromiseKitRow.whenFulfilled)
        case "guarantees": visitWhenAll(call, first, PromiseKitRow.whenGuarantees)
        case "resolved": rewriteList(call, first, PromiseKitRow.whenResolved, "settled()")
        case nil where call.arguments.count > 1:
            leave(
                PromiseKitRow.whenGuarantees, at: call,
                because: "write `zip(a, b)` if they have values, and `[a, b].sequence().asVoid()` if not")
        default: break
        }
    }

    /// `when(fulfilled: a, b)` and `when(fulfilled: list)`.
    private func visitWhenAll(_ call: FunctionCallExprSyntax, _ first: LabeledExprSyntax, _ row: Row) {
        let isOfVoid = call.isWhenOfVoid
        guard call.arguments.count > 1 else {
            return rewriteList(call, first, row, isOfVoid ? "sequence().asVoid()" : "sequence()")
        }
        var edits = [Edit(replacing: call.calledExpression, with: "zip")] + unlabel(first)
        if isOfVoid { edits.append(Edit(inserting: ".asVoid()", at: call.endPositionBeforeTrailingTrivia)) }
        rewrite(row, at: call, edits)
    }

    func visitRace(_ call: FunctionCallExprSyntax) {
        guard let first = call.arguments.first, call.trailingClosure == nil else { return }
        if call.arguments.contains(where: { $0.expression.description.contains("after(") }) {
            return leave(PromiseKitRow.raceAfter, at: call, because: "write a `timeout` where `after` is one")
        }
        let isFulfilled = first.label?.text == "fulfilled"
        rewriteList(call, first, PromiseKitRow.race, isFulfilled ? "firstSucceeded()" : "firstCompleted()")
    }

    /// `after(seconds: 2)` and `after(.seconds(2))`.
    func visitAfter(_ call: FunctionCallExprSyntax) {
        guard call.arguments.count == 1, let argument = call.arguments.first, call.trailingClosure == nil else {
            return
        }
        let value = argument.expression
        // In an extension, the type without arguments is the extended type.
        let type = Syntax(call).extendedPromise == nil ? future : future + "<Void>"
        var edits = [Edit(replacing: call.calledExpression, with: "\(type).after")]
        if argument.label?.text == "seconds" {
            edits += unlabel(argument)
            edits.append(Edit(inserting: ".seconds(", at: value.positionAfterSkippingLeadingTrivia))
            edits.append(Edit(inserting: ")", at: value.endPositionBeforeTrailingTrivia))
        } else {
            let isDuration = [".seconds(", ".milliseconds(", ".microseconds(", ".nanoseconds("].contains {
                value.trimmedDescription.hasPrefix($0)
            }
            guard argument.label == nil, isDuration else {
                return leave(PromiseKitRow.after, at: call, because: "its time has to become a `Duration`")
            }
        }
        rewrite(PromiseKitRow.after, at: call, edits)
    }

    /// `f(label: list)` as `list.method`, `f(label: a, b)` as `[a, b].method`.
    private func rewriteList(_ call: FunctionCallExprSyntax, _ first: LabeledExprSyntax, _ row: Row, _ method: String) {
        guard let leftParen = call.leftParen, let rightParen = call.rightParen else { return }
        let isList = call.arguments.count == 1
        guard !isList || first.expression.canBeBase else {
            return leave(row, at: call, because: "its argument needs a name first")
        }
        var edits = unlabel(first)
        edits.append(
            Edit(
                call.positionAfterSkippingLeadingTrivia
                    .utf8Offset..<leftParen.endPositionBeforeTrailingTrivia.utf8Offset,
                isList ? "" : "["))
        edits.append(Edit(replacing: rightParen, with: (isList ? "." : "].") + method))
        rewrite(row, at: call, edits)
    }

    private func unlabel(_ argument: LabeledExprSyntax) -> [Edit] {
        guard let label = argument.label else { return [] }
        return [
            Edit(
                removingFrom: label.positionAfterSkippingLeadingTrivia,
                to: argument.expression.positionAfterSkippingLeadingTrivia)
        ]
    }
}

extension FunctionCallExprSyntax {
    /// Whether `when(fulfilled: promises)` gives no values: a promise without one is asked for, or the next closure that
    /// gets the value takes none.
    fileprivate var isWhenOfVoid: Bool {
        var value = ExprSyntax(self)
        while let member = value.parent?.as(MemberAccessExprSyntax.self), member.base?.id == value.id,
            let call = member.parent?.as(FunctionCallExprSyntax.self)
        {
            let name = member.declName.baseName.text
            if ["then", "done", "map", "get"].contains(name), let closure = call.onlyClosure, closure.takesNothing {
                return true
            }
            // The future goes on with the value of this one.
            guard ["ensure", "get", "tap", "recover"].contains(name) else { return false }
            value = ExprSyntax(call)
        }
        return Syntax(value).typeHere?.namesVoidPromise ?? false
    }
}

extension ClosureExprSyntax {
    /// Whether the closure has no parameter, written or as `$0`.
    fileprivate var takesNothing: Bool {
        signature?.parameterClause == nil
            && !statements.tokens(viewMode: .sourceAccurate).contains { $0.text == "$0" }
    }
}
