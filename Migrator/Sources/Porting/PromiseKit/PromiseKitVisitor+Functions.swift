import SourceFiles
import SwiftSyntax

extension PromiseKitVisitor {
    /// `firstly { load() }` with one call that doesn't throw is that call.
    func visitFirstly(_ call: FunctionCallExprSyntax) {
        guard let closure = call.onlyClosure, call.trailingClosure != nil else {
            return leave(PromiseKitRow.firstly, at: call, because: "it has arguments")
        }
        guard closure.capturesNothing, let expression = closure.onlyExpression, expression.canBeBase,
            // Without the closure's result type, nothing says whose member it is.
            !expression.trimmedDescription.hasPrefix(".")
        else {
            return leave(
                PromiseKitRow.firstly, at: call,
                because: "its closure has several statements: write `Future(value: ()).flatMap(context: "
                    + "ImmediateContext()) { … }`, or move them before the chain")
        }
        guard !closure.throwsErrors else {
            return leave(
                PromiseKitRow.firstly, at: call,
                because: "its closure throws: write `Future(value: ()).flatMap(context: ImmediateContext()) { try … }`")
        }
        guard !expression.description.contains("//"), !call.hasComment(around: expression) else {
            return leave(PromiseKitRow.firstly, at: call, because: "its closure has comments, which would be lost")
        }
        rewrite(
            PromiseKitRow.firstly, at: call,
            [
                Edit(
                    removingFrom: call.positionAfterSkippingLeadingTrivia,
                    to: expression.positionAfterSkippingLeadingTrivia),
                Edit(
                    removingFrom: expression.endPositionBeforeTrailingTrivia,
                    to: closure.endPositionBeforeTrailingTrivia),
            ] + expression.dedenting(to: closure.rightBrace))
    }

    func visitWhen(_ call: FunctionCallExprSyntax) {
        guard let first = call.arguments.first, call.trailingClosure == nil else { return }
        let isConcurrent = call.argument("concurrently") != nil
        switch first.label?.text {
        case "fulfilled" where isConcurrent:
            leave(PromiseKitRow.concurrently, at: call, because: "`traverse` takes the items and not a generator")
        case "fulfilled":
            if call.arguments.count > 1 {
                var edits = [Edit(replacing: call.calledExpression, with: "zip")] + unlabel(first)
                if call.isWhenOfVoid {
                    edits.append(Edit(inserting: ".asVoid()", at: call.endPositionBeforeTrailingTrivia))
                }
                rewrite(PromiseKitRow.whenFulfilled, at: call, edits)
            } else {
                let method = call.isWhenOfVoid ? "sequence().asVoid()" : "sequence()"
                rewriteList(call, first, PromiseKitRow.whenFulfilled, method)
            }
        case "resolved": rewriteList(call, first, PromiseKitRow.whenResolved, "settled()")
        case "guarantees": rewriteList(call, first, PromiseKitRow.whenGuarantees, "sequence()")
        default: break
        }
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
    /// Whether `when(fulfilled: promises)` gives no values: a promise without one is asked for, or the next closure
    /// takes none.
    fileprivate var isWhenOfVoid: Bool {
        if Syntax(self).typeHere?.namesVoidPromise ?? false { return true }
        guard let member = parent?.as(MemberAccessExprSyntax.self), member.base?.id == ExprSyntax(self).id,
            ["then", "done", "map"].contains(member.declName.baseName.text),
            let closure = member.parent?.as(FunctionCallExprSyntax.self)?.onlyClosure
        else { return false }
        return closure.signature?.parameterClause == nil
            && !closure.statements.tokens(viewMode: .sourceAccurate).contains { $0.text == "$0" }
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

    /// Whether it has no list of captures and no parameters, as in `{ () -> Promise<Int> in load() }`.
    fileprivate var capturesNothing: Bool {
        guard let signature else { return true }
        guard signature.capture == nil, signature.attributes.isEmpty else { return false }
        switch signature.parameterClause {
        case .parameterClause(let clause): return clause.parameters.isEmpty
        case .simpleInput: return false
        case nil: return true
        }
    }

    /// The expression, if it is the only statement, with or without `return`.
    fileprivate var onlyExpression: ExprSyntax? {
        guard statements.count == 1, let item = statements.first?.item else { return nil }
        return item.as(ExprSyntax.self) ?? item.as(ExpressionStmtSyntax.self)?.expression
            ?? item.as(ReturnStmtSyntax.self)?.expression
    }
}

extension ExprSyntax {
    /// Moves the lines of this expression to the left, to where a brace is now.
    fileprivate func dedenting(to brace: TokenSyntax) -> [Edit] {
        let depth = leadingTrivia.indentation - brace.leadingTrivia.indentation
        // In a closure there are edits of calls, and the lines of a string count.
        guard depth > 0, !description.contains(where: { "{\"".contains($0) }) else { return [] }
        return tokens(viewMode: .sourceAccurate).dropFirst().compactMap { token in
            let start = token.positionAfterSkippingLeadingTrivia.utf8Offset
            guard token.leadingTrivia.contains(where: \.isNewline), token.leadingTrivia.indentation >= depth else {
                return nil
            }
            return Edit(start - depth..<start, "")
        }
    }
}

extension Trivia {
    /// The white space at the end.
    fileprivate var indentation: Int {
        switch pieces.last {
        case .spaces(let count), .tabs(let count): count
        default: 0
        }
    }
}
