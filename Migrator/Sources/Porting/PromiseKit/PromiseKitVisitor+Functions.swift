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

    /// `Promise { seal in … }`, if the closure does nothing with the seal but fulfill and reject it.
    func visitResolver(_ call: FunctionCallExprSyntax, _ closure: ClosureExprSyntax, isGuarantee: Bool) {
        guard let seal = closure.parameterNames.first, closure.parameterNames.count == 1, seal != "_" else {
            return leave(PromiseKitRow.resolver, at: call, because: "its closure has no name for the seal")
        }
        let uses = SealUses(of: seal, isGuarantee: isGuarantee, in: closure)
        for use in uses.resolving {
            leave(
                PromiseKitRow.resolve, at: use,
                because: "wrap the call that is given it: `future(method: load)`, without the closure around")
        }
        guard uses.resolving.isEmpty else {
            return leave(
                PromiseKitRow.resolver, at: call, because: "`\(seal)` is passed on or resolved with two values")
        }
        guard !closure.throwsErrors else {
            return leave(
                PromiseKitRow.resolver, at: call, because: "its closure throws: catch, and complete with a failure")
        }
        rewrite(PromiseKitRow.resolver, at: call, uses.edits)
        for use in uses.completing { rewrite(PromiseKitRow.seal, at: use, []) }
    }
}

/// The places where a closure uses its seal.
private struct SealUses {
    var edits: [Edit] = []
    var completing: [FunctionCallExprSyntax] = []
    var resolving: [DeclReferenceExprSyntax] = []

    init(of seal: String, isGuarantee: Bool, in closure: ClosureExprSyntax) {
        let finder = ReferenceFinder(seal)
        finder.walk(closure.statements)
        let around = finder.found.map { use in
            sequence(first: Syntax(use), next: \.parent).prefix { $0.id != closure.id }
                .compactMap { $0.as(ClosureExprSyntax.self) }
        }
        // In a closure with a parameter of that name, the name means the parameter.
        let found = zip(finder.found, around).filter { !$1.contains { $0.parameterNames.contains(seal) } }
        let isFree = !closure.statements.tokens(viewMode: .sourceAccurate).contains { $0.text == "complete" }
        let isNested = found.contains { $1.contains(where: \.isOfPromise) }
        let name = isFree && !isNested ? "complete" : seal
        if name != seal,
            let token = closure.signature?.tokens(viewMode: .sourceAccurate).first(where: { $0.text == seal })
        {
            edits.append(Edit(replacing: token, with: name))
        }
        for (use, _) in found {
            guard let (call, kind) = Self.completion(use, isGuarantee: isGuarantee) else {
                resolving.append(use)
                continue
            }
            completing.append(call)
            guard let leftParen = call.leftParen, let rightParen = call.rightParen else { continue }
            edits.append(
                Edit(
                    call.positionAfterSkippingLeadingTrivia
                        .utf8Offset..<leftParen.endPositionBeforeTrailingTrivia.utf8Offset, "\(name)(.\(kind)("))
            edits.append(
                Edit(replacing: rightParen, with: call.arguments.isEmpty ? "())" + ")" : "))"))
        }
    }

    private static func completion(
        _ use: DeclReferenceExprSyntax, isGuarantee: Bool
    ) -> (FunctionCallExprSyntax, String)? {
        if isGuarantee {
            guard let call = use.parent?.as(FunctionCallExprSyntax.self),
                call.calledExpression.id == ExprSyntax(use).id,
                call.arguments.count <= 1, call.trailingClosure == nil, call.leftParen != nil
            else { return nil }
            return (call, "success")
        }
        guard let member = use.parent?.as(MemberAccessExprSyntax.self),
            let call = member.parent?.as(FunctionCallExprSyntax.self),
            call.calledExpression.id == ExprSyntax(member).id,
            call.arguments.count <= 1, call.trailingClosure == nil, call.leftParen != nil
        else { return nil }
        switch member.declName.baseName.text {
        case "fulfill": return (call, "success")
        case "reject": return (call, "failure")
        default: return nil
        }
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

final class ReferenceFinder: SyntaxVisitor {
    let name: String
    var found: [DeclReferenceExprSyntax] = []

    init(_ name: String) {
        self.name = name
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if node.baseName.text == name, node.parent?.as(MemberAccessExprSyntax.self)?.declName.id != node.id {
            found.append(node)
        }
        return .visitChildren
    }
}

extension ClosureExprSyntax {
    /// Whether it makes a promise, and gets a seal of its own.
    fileprivate var isOfPromise: Bool {
        let call = parent?.as(FunctionCallExprSyntax.self) ?? parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
        return ["Promise", "Guarantee"].contains(call?.calledExpression.plainName ?? "")
    }

    /// Whether the closure has no parameter, written or as `$0`.
    fileprivate var takesNothing: Bool {
        signature?.parameterClause == nil
            && !statements.tokens(viewMode: .sourceAccurate).contains { $0.text == "$0" }
    }
}
