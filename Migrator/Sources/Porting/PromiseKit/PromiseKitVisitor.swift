import SourceFiles
import SwiftSyntax

/// The types of PromiseKit that no type here replaces in place.
private let leftTypes: [String: (Row, String)] = [
    "CancellablePromise": (
        PromiseKitRow.cancellable, "pass a `CancelToken` to the calls that can be canceled"
    ),
    "AnyPromise": (
        PromiseKitRow.promise, "Objective-C code can't use it: give it a method with a completion handler"
    ),
    "Resolver": (PromiseKitRow.seal, "take a `Promise<T>`, and call `success(x)` and `failure(e)`"),
    "Thenable": (PromiseKitRow.promise, "take a `Future<T>`, or extend `Future`"),
    "CatchMixin": (PromiseKitRow.promise, "take a `Future<T>`, or extend `Future`"),
    "PMKError": (PromiseKitRow.error, "its cases have other names in `FuturesError`"),
    "PMKFinalizer": (PromiseKitRow.finally, "return the future instead"),
    "PMKCascadingFinalizer": (PromiseKitRow.finally, "return the future instead"),
]

/// Finds the calls of PromiseKit.
final class PromiseKitVisitor: PortingVisitor {
    /// The name of the type, with the module's where another module has one too.
    let future: String
    /// The module that has one too.
    private let otherModule: String?
    /// Whether PromiseKit stays imported, which has a type `Promise` too.
    let keepsLibrary: Bool
    /// The text of the file.
    let bytes: [UInt8]
    /// The declarations of all files of the run.
    let context: PortContext
    /// The names that are replaced with the calls around them.
    var replaced: Set<SyntaxIdentifier> = []

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
        } else if !node.isReplacedWithCall, !replaced.contains(node.baseName.id) {
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
        case let text:
            if let (row, reason) = leftTypes[text], !replaced.contains(name.id) {
                leave(row, at: node, because: reason)
            }
        }
    }

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        // The methods of these two have a label or an argument that tells them.
        let module = node.path.first?.name.text ?? ""
        if module.hasPrefix("PMK"), !["PMKFoundation", "PMKUIKit"].contains(module) {
            leave(
                PromiseKitRow.resolve, at: node,
                because: "the methods of \(module) return promises: wrap those with a completion handler instead")
        }
        return .skipChildren
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
            if !node.isCalled {
                leave(PromiseKitRow.state, at: node.declName, because: "take it from `completed` and `result`")
            }
        case "fulfilled" where node.base == nil, "rejected" where node.base == nil:
            guard !replaced.contains(node.declName.baseName.id) else { break }
            // An enum of the app's may have cases of these names too.
            let name = node.declName.baseName.text == "fulfilled" ? "success" : "failure"
            leave(PromiseKitRow.whenResolved, at: node, because: "a result of PromiseKit is a `Try`: write `.\(name)`")
        case "value" where node.base == nil && type(around: node)?.namesVoidPromise ?? false:
            rewrite(PromiseKitRow.value, at: node, [Edit(replacing: node.declName, with: "init(value: ())")])
        case "value", "error", "result": visitResult(node)
        case "isCancelled" where ["error", "e", "err"].contains(node.base?.plainName):
            leave(
                PromiseKitRow.cancelled, at: node.declName,
                because: "errors have no `isCancelled`: write `(error as? URLError)?.code == .cancelled`")
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
        visitExtension(node)
        return .visitChildren
    }

    /// `session.dataTask(.promise, with: url)`, `center.observe(once: name)`.
    private func visitExtension(_ call: FunctionCallExprSyntax) {
        let name = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? ""
        let isOnce = name == "observe" && call.arguments.first?.label?.text == "once"
        guard isOnce || call.startsPromise && name != "async" else { return }
        let other =
            name.hasSuffix("Task") ? ", or call `session.dataFuture(from: url)` of SimpleFuturesFoundation" : ""
        leave(
            PromiseKitRow.resolve, at: call,
            because: "it is a method of an extension of PromiseKit: wrap the one with a completion handler" + other)
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
