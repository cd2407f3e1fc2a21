import SourceFiles
import SwiftSyntax

/// Finds the calls of Combine.
final class CombineVisitor: PortingVisitor {
    /// The variables that hold a subject: if it becomes a `StreamPromise`, its `send` becomes `success`.
    private(set) var subjects: Subjects
    private var subscriptions = SubscriptionPlan()

    /// The name of our `Future`, which Combine has too.
    private let future: String

    /// A visitor of a file of a run.
    init(_ context: PortContext, keepsLibrary: Bool) {
        subjects = Subjects(properties: context)
        future = keepsLibrary ? "SimpleFutures.Future" : "Future"
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: SourceFileSyntax) -> SyntaxVisitorContinueKind {
        let properties = subjects.properties
        subjects = SubjectFinder(node, isPorted: true).subjects
        subjects.properties = properties
        subscriptions = SubscriptionPlan(for: node, subjects)
        usesInterop = subscriptions.usesIsolation
        return .visitChildren
    }

    override func visitPost(_ node: SourceFileSyntax) {
        // Lines after a statement come after the edits at its end.
        also(subscriptions.otherEdits)
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        if let edits = subscriptions.edits[node.name.position] {
            rewrite(CombineRow.store, at: node, edits)
            return .visitChildren
        }
        switch node.name.text {
        case "AnyPublisher":
            if let erasure = subjects.erasures[node.id], subjects.isReplaced(erasure) {
                rewrite(CombineRow.publisher, at: node, erasure.edits)
                return .visitChildren
            }
            leave(
                CombineRow.publisher, at: node,
                because: "it is a `Future` if it gives one value, and else a `FutureStream`")
        case "AnyCancellable", "Cancellable":
            leave(CombineRow.store, at: node, because: storeReason)
        case "PassthroughSubject":
            if node.parent?.parent?.is(TypeAliasDeclSyntax.self) ?? false {
                leave(
                    CombineRow.passthrough, at: node,
                    because: "a promise that is made by this name keeps a history: write `capacity: 0` at each call")
            } else {
                visitSubjectType(node.name, node.genericArgumentClause, node, isMade: false)
            }
        case "CurrentValueSubject":
            leave(CombineRow.currentValue, at: node, because: "its first value is emitted by a call")
        case "Future":
            // Ours has one generic argument.
            if node.genericArgumentClause?.arguments.count == 2 { leaveFuture(node) }
        case "Published":
            leave(CombineRow.published, at: node, because: "the property stays, and a promise stands beside it")
        default: break
        }
        return .visitChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        if node.name.text == "Future", Library.combine.modules.contains(node.baseType.trimmedDescription) {
            leaveFuture(node)
        }
        return .visitChildren
    }

    private func leaveFuture(_ node: some SyntaxProtocol) {
        leave(
            CombineRow.future, at: node,
            because: "`promise` takes a `Result`, and `complete` a `Try`: `complete(Try(result))`")
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if let name = node.calledExpression.plainName { visitFunction(node, name) }
        if node.makesCombineFuture {
            leaveFuture(node)
        } else if let member = node.calledExpression.as(MemberAccessExprSyntax.self) {
            if member.declName.baseName.text == "init" {
                visitInit(node, member.base)
            } else if let base = member.base ?? node.conditionalChain?.base {
                visitMethod(node, member.declName.baseName, base)
            }
        }
        return .visitChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        visitUse(node)
        return .visitChildren
    }

    override func visit(_ node: PostfixIfConfigExprSyntax) -> SyntaxVisitorContinueKind {
        if let base = node.base, subjects.isReplaced(base) {
            also([Edit(inserting: ".stream", at: base.endPositionBeforeTrailingTrivia)])
        }
        return .visitChildren
    }

    /// `PassthroughSubject<T, E>.init()`, and `.init()` where a variable or a parameter has that type.
    private func visitInit(_ call: FunctionCallExprSyntax, _ base: ExprSyntax?) {
        if let base {
            guard base.plainName == "PassthroughSubject", let name = base.firstToken(viewMode: .sourceAccurate) else {
                return
            }
            let generics = base.as(GenericSpecializationExprSyntax.self)?.genericArgumentClause
            visitSubjectType(name, generics, call, isMade: true)
        } else if Syntax(call).isSubject(among: subjects) {
            rewrite(CombineRow.passthrough, at: call, withoutHistory(call))
        }
    }

    private func withoutHistory(_ call: FunctionCallExprSyntax) -> [Edit] {
        guard let leftParen = call.leftParen, call.arguments.isEmpty else { return [] }
        return [Edit(inserting: "capacity: 0", at: leftParen.endPositionBeforeTrailingTrivia)]
    }

    private func visitFunction(_ call: FunctionCallExprSyntax, _ name: String) {
        switch name {
        case "Just":
            guard let argument = call.arguments.first, call.arguments.count == 1 else { return }
            if let reason = reasonToStay(Chain(around: call)) {
                return leave(CombineRow.just, at: call, because: reason)
            }
            rewrite(
                CombineRow.just, at: call,
                [
                    Edit(replacing: call.calledExpression, with: future),
                    Edit(inserting: "value: ", at: argument.positionAfterSkippingLeadingTrivia),
                ])
        case "Fail":
            guard call.arguments.first?.label?.text == "error", call.arguments.count == 1,
                call.calledExpression.is(DeclReferenceExprSyntax.self)
            else { return leave(CombineRow.just, at: call, because: "its types move to the place where it is used") }
            if let reason = reasonToStay(Chain(around: call)) {
                return leave(CombineRow.just, at: call, because: reason)
            }
            rewrite(CombineRow.just, at: call, [Edit(replacing: call.calledExpression, with: future)])
        case "Empty": leave(CombineRow.empty, at: call, because: "it is a stream that is finished by a call")
        case "Deferred": leave(CombineRow.deferred, at: call, because: "it becomes a function that makes the future")
        case "Future": leaveFuture(call)
        case "PassthroughSubject":
            let generics = call.calledExpression.as(GenericSpecializationExprSyntax.self)
            guard let token = call.calledExpression.firstToken(viewMode: .sourceAccurate) else { return }
            visitSubjectType(token, generics?.genericArgumentClause, call, isMade: true)
        case "CurrentValueSubject":
            leave(CombineRow.currentValue, at: call, because: "its first value is emitted by a call")
        default: break
        }
    }

    /// `PassthroughSubject<T, E>` is `StreamPromise<T>`, and is made with `capacity: 0`.
    private func visitSubjectType(
        _ name: TokenSyntax, _ generics: GenericArgumentClauseSyntax?, _ node: some SyntaxProtocol, isMade: Bool
    ) {
        var edits = [Edit(replacing: name, with: "StreamPromise")]
        if let arguments = generics?.arguments, let first = arguments.first, let last = arguments.last,
            arguments.count == 2
        {
            edits.append(
                Edit(
                    removingFrom: first.argument.endPositionBeforeTrailingTrivia,
                    to: last.endPositionBeforeTrailingTrivia))
        }
        if isMade, let call = node.as(FunctionCallExprSyntax.self) { edits += withoutHistory(call) }
        rewrite(CombineRow.passthrough, at: node, edits)
    }

    private func visitMethod(_ call: FunctionCallExprSyntax, _ name: TokenSyntax, _ base: ExprSyntax) {
        if name.text == "send" { return visitSend(call, name, base) }
        let chain = Chain(around: call)
        let stays = reasonToStay(chain)
        let isSubject = subjects.isReplaced(base)
        if isSubject, call.conditionalChain == nil {
            also([Edit(inserting: ".stream", at: base.endPositionBeforeTrailingTrivia)])
        }
        let isCombine = chain.isCombine || subjects.isReplaced(chain.receiver)
        if name.text == "share", !isSubject, !chain.isCombine(besides: "share") {
            // Any type can have a method of this name, and this one would be removed.
            guard call.arguments.isEmpty, call.trailingClosure == nil else { return }
            return leave(CombineRow.share, at: name, because: "only its type says whether it is a publisher's")
        }
        if name.text == "subscribe", call.argument("on") == nil, let subject = call.arguments.first?.expression {
            return leave(
                CombineRow.sink, at: name,
                because: "the subject gets the values in a callback: `onSuccess(cancelToken: token.token) "
                    + "{ \(subject.trimmedDescription).success($0) }`")
        }
        if let row = sureRows[name.text] {
            if let edits = subscriptions.edits[name.position] { return rewrite(row, at: name, edits) }
            if let reason = subscriptions.reasons[name.position] { return leave(row, at: name, because: reason) }
            guard let edits = Self.edits(call, name) else {
                return leave(row, at: name, because: reasons[name.text] ?? "it depends on what stands around")
            }
            if let stays { return leave(row, at: name, because: stays) }
            if row == CombineRow.publisher, chain.root.id == call.id,
                let reason = subjects.reasonToLeave(typeOf: chain.root)
            {
                return leave(row, at: name, because: reason)
            }
            return rewrite(row, at: name, edits)
        }
        guard stays == nil, isCombine else { return }
        visitAmbiguous(call, name)
    }

    /// Why the calls of a chain are left.
    private func reasonToStay(_ chain: Chain) -> String? {
        if chain.isPublished { return "the chain begins with a `@Published` property, which stays" }
        // A chain that begins with a promise is one of a stream, even if the type around it has to be written by hand.
        if subjects.isReplaced(chain.receiver) { return nil }
        return subjects.reasonToLeave(chain.receiver) ?? subjects.reasonToLeave(typeOf: chain.root)
            ?? chain.root.outerChain.flatMap(reasonToStay)
    }
}
