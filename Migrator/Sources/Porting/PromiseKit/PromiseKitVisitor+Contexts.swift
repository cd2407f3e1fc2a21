import SourceFiles
import SwiftSyntax

extension PromiseKitVisitor {
    /// Renames a call, and writes where its closure runs: on an actor, or in the context of `on:`.
    func renameLink(_ call: FunctionCallExprSyntax, _ name: TokenSyntax, _ row: Row, _ newName: String) {
        if call.argument("flags") != nil {
            return leave(PromiseKitRow.flags, at: name, because: "a context of your own takes the place of the flags")
        }
        if let isolated = isolatedEdits(call, name, newName) {
            usesInterop = true
            if let argument = call.argument("on") { rewrite(PromiseKitRow.on, at: argument, []) }
            return rewrite(row, at: name, isolated)
        }
        let arguments = contextEdits(call) + labelEdits(call, newName)
        if name.text == newName, arguments.isEmpty { return keep(row, at: name) }
        rewrite(row, at: name, (name.text == newName ? [] : [Edit(replacing: name, with: newName)]) + arguments)
    }

    /// `.done { use($0) }` as `.onSuccess(isolated: { use($0) })`, in code that can be on the main actor.
    ///
    /// PromiseKit's closures run on the main queue without being on the main actor. Ours are `@Sendable`, so the compiler
    /// lets them use the actor's state only as `isolated:`. Outside of an actor, that is the same as no label.
    private func isolatedEdits(
        _ call: FunctionCallExprSyntax, _ name: TokenSyntax, _ newName: String
    ) -> [Edit]? {
        guard call.runsOnMain, [.main, .unknown].contains(Isolation(of: call)) else { return nil }
        let last = call.arguments.last.flatMap { $0.label == nil ? $0.expression : nil }
        guard let function = call.trailingClosure.map({ ExprSyntax($0) }) ?? last,
            !function.is(KeyPathExprSyntax.self)
        else { return nil }
        if call.hasComment(around: function, from: name) {
            guard call.leftParen == nil else { return nil }
            return [
                Edit(replacing: name, with: newName),
                Edit(inserting: "(isolated: ", at: function.positionAfterSkippingLeadingTrivia),
                Edit(inserting: ")", at: function.endPositionBeforeTrailingTrivia),
            ]
        }
        let start = name.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = function.endPositionBeforeTrailingTrivia.utf8Offset
        return [
            Edit(start..<function.positionAfterSkippingLeadingTrivia.utf8Offset, "\(newName)(isolated: "),
            Edit(end..<call.endPositionBeforeTrailingTrivia.utf8Offset, ")"),
        ]
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
            edits.append(Edit(replacing: value, with: ".immediate"))
            rewrite(PromiseKitRow.onNil, at: argument, [])
            return edits
        case "DispatchQueue.main": edits.append(Edit(replacing: value, with: ".main"))
        case ".global()", "DispatchQueue.global()": edits.append(Edit(replacing: value, with: ".global"))
        case let text where text.hasPrefix(".global("):
            edits.append(Edit(inserting: "DispatchQueue", at: value.positionAfterSkippingLeadingTrivia))
        default: break
        }
        rewrite(PromiseKitRow.on, at: argument, [])
        return edits
    }
}
