import SourceFiles
import SwiftSyntax

extension CombineVisitor {
    /// A value or the end that is sent to a subject.
    func visitSend(_ call: FunctionCallExprSyntax, _ name: TokenSyntax, _ base: ExprSyntax) {
        guard subjects.isReplaced(base) else {
            guard call.sendsLikeSubject else { return }
            if subjects.kind(of: base) == .ambiguous, let reason = subjects.reasonToLeave(base) {
                return leave(CombineRow.send, at: name, because: reason)
            }
            guard subjects.mayBeElsewhere(base) else { return }
            return leave(
                CombineRow.send, at: name,
                because: "if it is a subject of another file, a `StreamPromise` takes its place")
        }
        guard let argument = call.arguments.first else {
            return rewrite(
                CombineRow.send, at: name,
                [Edit(replacing: name, with: "success")]
                    + (call.leftParen.map { [Edit(inserting: "()", at: $0.endPositionBeforeTrailingTrivia)] } ?? []))
        }
        if argument.label?.text == "completion" {
            guard argument.expression.trimmedDescription == ".finished", let rightParen = call.rightParen else {
                return leave(
                    CombineRow.sendFailure, at: name, because: "a failure does not end a stream here: two calls")
            }
            return rewrite(
                CombineRow.send, at: name,
                [
                    Edit(
                        name.positionAfterSkippingLeadingTrivia
                            .utf8Offset..<rightParen.endPositionBeforeTrailingTrivia.utf8Offset, "finish()")
                ])
        }
        rewrite(CombineRow.send, at: name, [Edit(replacing: name, with: "success")])
    }

    /// A call that collections have too.
    func visitAmbiguous(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        switch name.text {
        case "map":
            guard let path = call.arguments.first?.expression.as(KeyPathExprSyntax.self), call.arguments.count == 1
            else {
                return keep(CombineRow.operators, at: name)
            }
            guard path.root == nil, let leftParen = call.leftParen, let rightParen = call.rightParen else { return }
            let text = path.components.trimmedDescription
            rewrite(
                CombineRow.keyPath, at: name,
                [
                    Edit(
                        leftParen.positionAfterSkippingLeadingTrivia
                            .utf8Offset..<rightParen.endPositionBeforeTrailingTrivia.utf8Offset,
                        text == ".self" ? " { $0 }" : " { $0\(text) }")
                ])
        case "compactMap", "filter", "scan", "reduce": keep(CombineRow.operators, at: name)
        case "flatMap":
            if call.argument("maxPublishers") == nil { return keep(CombineRow.flatMap, at: name) }
            leave(CombineRow.flatMapMax, at: name, because: "the closure awaits here")
        case "mapError": keep(CombineRow.mapError, at: name)
        case "combineLatest":
            if call.arguments.count == 1, call.trailingClosure == nil {
                return keep(CombineRow.combineLatest, at: name)
            }
            leave(
                CombineRow.combineLatest, at: name,
                because: "a function takes three streams, and the closure becomes a `map`")
        case "decode" where call.argument("type") != nil && call.argument("decoder") != nil:
            leave(CombineRow.decode, at: name, because: "the closure of a `map` calls the decoder")
        case "prefix" where call.arguments.first?.label == nil:
            rewrite(CombineRow.prefix, at: name, [Edit(replacing: name, with: "take")])
        case "dropFirst":
            let one =
                call.arguments.isEmpty
                ? call.leftParen.map { [Edit(inserting: "1", at: $0.endPositionBeforeTrailingTrivia)] } : []
            rewrite(CombineRow.prefix, at: name, [Edit(replacing: name, with: "drop")] + (one ?? []))
        case "catch":
            leave(CombineRow.catch, at: name, because: "a stream goes on after a failure here, and Combine's ends")
        case "retry": leave(CombineRow.retry, at: name, because: "it needs the closure that starts another attempt")
        case "timeout": leave(CombineRow.timeout, at: name, because: "the custom error is thrown by a `mapError`")
        case "delay": leave(CombineRow.delay, at: name, because: "futures have it, and streams don't")
        case "first", "last", "collect", "count":
            leave(CombineRow.first, at: name, because: "it is another call for a future, which has one value")
        case "contains", "allSatisfy": leave(CombineRow.search, at: name, because: "it is a loop")
        case "prepend", "append":
            leave(CombineRow.prepend, at: name, because: "a stream of one value is merged with it")
        case "zip": leave(CombineRow.zip, at: name, because: "it is a function of both")
        case "merge": leave(CombineRow.merge, at: name, because: "it is a function of both, or takes a list")
        case "print": leave(CombineRow.print, at: name, because: "it is for debugging")
        default: break
        }
    }
}
