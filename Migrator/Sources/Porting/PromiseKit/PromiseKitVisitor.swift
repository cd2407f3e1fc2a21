import SourceFiles
import SwiftSyntax

/// Finds the calls of PromiseKit.
final class PromiseKitVisitor: PortingVisitor {
    /// The name of the type, with the module's where another module has one too.
    let future: String
    /// The module that has one too.
    private let otherModule: String?
    /// Whether PromiseKit stays imported, which has a type `Promise` too.
    private let keepsLibrary: Bool
    /// The text of the file.
    let bytes: [UInt8]
    /// The declarations of all files of the run.
    let context: PortContext

    init(_ file: SourceFile, _ context: PortContext, keepsLibrary: Bool) {
        self.context = context
        otherModule = file.moduleWithFuture
        future = (otherModule == nil ? "" : "SimpleFutures.") + "Future"
        self.keepsLibrary = keepsLibrary
        bytes = Array(file.text.utf8)
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        guard node.baseType.trimmedDescription == "PromiseKit" else { return .visitChildren }
        guard ["Promise", "Guarantee"].contains(node.name.text) else {
            leave(PromiseKitRow.promise, at: node, because: "it names a type of PromiseKit")
            return .visitChildren
        }
        let row = node.name.text == "Promise" ? PromiseKitRow.promise : PromiseKitRow.guarantee
        rewrite(
            row, at: node,
            [
                Edit(
                    node.positionAfterSkippingLeadingTrivia
                        .utf8Offset..<node.name.endPositionBeforeTrailingTrivia.utf8Offset,
                    future)
            ])
        constrainGenerics(in: node.genericArgumentClause)
        return .visitChildren
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        rename(node.name, at: node)
        if node.name.text == "Result", node.genericArgumentClause?.arguments.count == 1, !context.declaresResult {
            rewrite(PromiseKitRow.whenResolved, at: node, [Edit(replacing: node.name, with: "Try")])
        }
        if ["Promise", "Guarantee"].contains(node.name.text) { constrainGenerics(in: node.genericArgumentClause) }
        return .visitChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if let member = node.parent?.as(MemberAccessExprSyntax.self), member.declName.id == node.id {
            if member.base?.trimmedDescription == "PromiseKit" {
                leave(PromiseKitRow.promise, at: node, because: "remove `PromiseKit.`, then run the command again")
            }
            return .visitChildren
        }
        // `Promise.value(x)` is replaced as a whole where the call is visited.
        if node.baseName.text == "PMKError" || node.baseName.text == "conf" {
            visitName(node)
        } else if ["Promise", "Guarantee", "CancellablePromise", "Future"].contains(node.baseName.text),
            !node.isReplacedWithCall
        {
            rename(node.baseName, at: node)
        }
        return .visitChildren
    }

    private func rename(_ name: TokenSyntax, at node: some SyntaxProtocol) {
        switch name.text {
        case "Promise": rewrite(PromiseKitRow.promise, at: node, [Edit(replacing: name, with: future)])
        case "Guarantee": rewrite(PromiseKitRow.guarantee, at: node, [Edit(replacing: name, with: future)])
        case "Future":
            if let otherModule { also([Edit(replacing: name, with: "\(otherModule).Future")]) }
        case "CancellablePromise":
            leave(
                PromiseKitRow.cancellable, at: node, because: "pass a `CancelToken` to the calls that can be canceled")
        default: break
        }
    }

    private func visitName(_ node: DeclReferenceExprSyntax) {
        if node.baseName.text == "PMKError" {
            leave(PromiseKitRow.error, at: node, because: "its cases have other names in `FuturesError`")
        } else if let member = node.parent?.as(MemberAccessExprSyntax.self), member.declName.baseName.text == "Q" {
            leave(
                PromiseKitRow.conf, at: node, because: "there is one default context, and not one for each kind of call"
            )
        }
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        switch node.declName.baseName.text {
        case "isPending", "isResolved", "isFulfilled", "isRejected":
            if !(node.parent?.is(FunctionCallExprSyntax.self) ?? false) {
                leave(PromiseKitRow.state, at: node.declName, because: "take it from `completed` and `result`")
            }
        case "fulfilled" where node.base == nil, "rejected" where node.base == nil:
            // An enum of the app's may have cases of these names too.
            let name = node.declName.baseName.text == "fulfilled" ? "success" : "failure"
            leave(PromiseKitRow.whenResolved, at: node, because: "a result of PromiseKit is a `Try`: write `.\(name)`")
        case "value" where node.base == nil && Syntax(node).typeHere?.namesVoidPromise ?? false:
            rewrite(PromiseKitRow.value, at: node, [Edit(replacing: node.declName, with: "init(value: ())")])
        case "cancelContext", "appendCancellable":
            leave(PromiseKitRow.cancelContext, at: node.declName, because: "a token takes its place")
        case "cancellize":
            leave(PromiseKitRow.cancellable, at: node.declName, because: "pass a `CancelToken` to the calls")
        default: break
        }
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if let name = node.calledExpression.plainName { visitFunction(node, name) }
        if let member = node.calledExpression.as(MemberAccessExprSyntax.self) { visitMethod(node, member) }
        if node.arguments.first?.expression.trimmedDescription == ".promise",
            node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text != "async"
        {
            leave(
                PromiseKitRow.resolve, at: node,
                because: "it is a method of PMKFoundation: wrap the one with a completion handler, or call "
                    + "`session.dataFuture(from: url)` of SimpleFuturesFoundation")
        }
        return .visitChildren
    }

    private func visitFunction(_ call: FunctionCallExprSyntax, _ name: String) {
        switch name {
        case "Promise", "Guarantee": visitMaking(call, name)
        case "firstly": visitFirstly(call)
        case "when": visitWhen(call)
        case "race": visitRace(call)
        case "after": visitAfter(call)
        default: break
        }
    }

    private func visitMaking(_ call: FunctionCallExprSyntax, _ name: String) {
        if call.arguments.first?.label?.text == "error" {
            return rewrite(PromiseKitRow.value, at: call, [])
        }
        if call.isEmptyCall, call.calledExpression.trimmedDescription.namesVoidPromise {
            return rewrite(PromiseKitRow.value, at: call, fulfilled(call))
        }
        if let value = call.bridgedPromise {
            return rewrite(
                PromiseKitRow.value, at: call,
                [
                    Edit(
                        removingFrom: call.positionAfterSkippingLeadingTrivia,
                        to: value.positionAfterSkippingLeadingTrivia),
                    Edit(removingFrom: value.endPositionBeforeTrailingTrivia, to: call.endPositionBeforeTrailingTrivia),
                ])
        }
        guard let closure = call.onlyClosure else { return }
        visitResolver(call, closure, isGuarantee: name == "Guarantee")
    }

    private func visitMethod(_ call: FunctionCallExprSyntax, _ member: MemberAccessExprSyntax) {
        let name = member.declName.baseName
        if let type = member.base?.plainName, ["Promise", "Guarantee"].contains(type) {
            return visitStatic(call, member, name.text)
        }
        guard let base = member.base else {
            if call.conditionalChain != nil { return visitLink(call, name) }
            if name.text == "value" { visitImplicitValue(call, name) }
            if name.text == "init", call.isEmptyCall, Syntax(call).typeHere?.namesVoidPromise ?? false {
                rewrite(PromiseKitRow.value, at: call, fulfilled(call))
            }
            return
        }
        if name.text == "async", call.arguments.first?.expression.trimmedDescription == ".promise" {
            return visitQueue(call, base)
        }
        if name.text == "init", base.trimmedDescription == "self", let closure = call.onlyClosure,
            let type = Syntax(call).extendedPromise
        {
            return visitResolver(call, closure, isGuarantee: type == "Guarantee")
        }
        visitLink(call, name)
    }

    /// `Promise.value(x)` and `Promise<T>.pending()`.
    private func visitStatic(_ call: FunctionCallExprSyntax, _ member: MemberAccessExprSyntax, _ name: String) {
        switch name {
        case "init" where call.isEmptyCall && member.base?.trimmedDescription.namesVoidPromise ?? false:
            rewrite(PromiseKitRow.value, at: call, fulfilled(call))
        case "value":
            guard let type = member.base, let argument = call.arguments.first, let paren = call.leftParen else {
                return
            }
            var edits = [
                Edit(removingFrom: type.endPositionBeforeTrailingTrivia, to: paren.positionAfterSkippingLeadingTrivia),
                Edit(inserting: "value: ", at: argument.positionAfterSkippingLeadingTrivia),
            ]
            if let first = type.firstToken(viewMode: .sourceAccurate) {
                edits.append(Edit(replacing: first, with: future))
            }
            rewrite(PromiseKitRow.value, at: call, edits)
        case "pending":
            if let pair = PendingPair(of: call) {
                rewrite(PromiseKitRow.pending, at: call, pair.edits)
                if keepsLibrary {
                    also([Edit(inserting: "SimpleFutures.", at: call.positionAfterSkippingLeadingTrivia)])
                }
                for use in pair.completing { rewrite(PromiseKitRow.seal, at: use, []) }
                return
            }
            leave(
                PromiseKitRow.pending, at: call,
                because: "one `Promise` takes the place of the pair, and has to be held until it is completed")
        default: break
        }
    }

    /// `Promise()` is fulfilled; `Future()` is pending.
    private func fulfilled(_ call: FunctionCallExprSyntax) -> [Edit] {
        call.leftParen.map { [Edit(inserting: "value: ()", at: $0.endPositionBeforeTrailingTrivia)] } ?? []
    }

    /// `.value(x)` where a promise is returned.
    private func visitImplicitValue(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) {
        guard call.arguments.count == 1, call.trailingClosure == nil, let argument = call.arguments.first,
            argument.label == nil, Syntax(call).isPromiseHere
        else { return }
        rewrite(
            PromiseKitRow.value, at: call,
            [
                Edit(replacing: name, with: "init"),
                Edit(inserting: "value: ", at: argument.positionAfterSkippingLeadingTrivia),
            ])
    }

    private func visitQueue(_ call: FunctionCallExprSyntax, _ base: ExprSyntax) {
        guard call.arguments.count == 1, call.trailingClosure != nil else {
            return leave(PromiseKitRow.queueAsync, at: call, because: "it has flags or a group")
        }
        let names = ["DispatchQueue.main": ".main", "DispatchQueue.global()": ".global"]
        let context = names[base.trimmedDescription] ?? base.trimmedDescription
        let start = base.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = (call.rightParen?.endPositionBeforeTrailingTrivia ?? base.endPositionBeforeTrailingTrivia).utf8Offset
        rewrite(PromiseKitRow.queueAsync, at: call, [Edit(start..<end, "future(context: \(context))")])
    }
}
