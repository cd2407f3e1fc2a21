import SourceFiles
import SwiftSyntax

/// The places where the closure of a promise uses its seal.
struct SealUses {
    private(set) var edits: [Edit] = []
    /// The calls that complete the promise.
    private(set) var completing: [FunctionCallExprSyntax] = []
    /// The names `fulfilled` and `rejected` of results that the seal is called with.
    private(set) var results: [SyntaxIdentifier] = []
    /// The other places, where the seal is kept or passed on.
    private(set) var others: [DeclReferenceExprSyntax] = []
    private let isGuarantee: Bool
    /// The new name of the seal.
    private let name: String

    init(of seal: String, isGuarantee: Bool, in closure: ClosureExprSyntax) {
        self.isGuarantee = isGuarantee
        let finder = ReferenceFinder(seal)
        finder.walk(closure.statements)
        let around = finder.found.map { $0.closures(below: closure) }
        // In a closure with a parameter of that name, the name means the parameter.
        let found = zip(finder.found, around).filter {
            !$1.contains { seal == "$0" || $0.parameterNames.contains(seal) }
        }
        let isFree = !closure.statements.tokens(viewMode: .sourceAccurate).contains { $0.text == "complete" }
        let isNested = found.contains { $1.contains(where: \.isOfPromise) }
        name = seal != "$0" && isFree && !isNested ? "complete" : seal
        if name != seal,
            let token = closure.signature?.tokens(viewMode: .sourceAccurate).first(where: { $0.text == seal })
        {
            edits.append(Edit(replacing: token, with: name))
        }
        for (use, _) in found where !complete(use) && !completeWithResult(use) { others.append(use) }
    }

    /// `seal.fulfill(x)`, `seal.reject(e)`, and `seal(x)` of a guarantee.
    private mutating func complete(_ use: DeclReferenceExprSyntax) -> Bool {
        let member = use.parent?.as(MemberAccessExprSyntax.self)
        let kinds = ["fulfill": "success", "fulfill_": "success", "reject": "failure"]
        let called = isGuarantee ? ExprSyntax(use) : member.map { ExprSyntax($0) }
        guard let kind = isGuarantee ? "success" : member.flatMap({ kinds[$0.declName.baseName.text] }),
            let call = called?.parent?.as(FunctionCallExprSyntax.self), call.calledExpression.id == called?.id,
            call.arguments.count <= 1, call.trailingClosure == nil, let leftParen = call.leftParen,
            let rightParen = call.rightParen
        else { return false }
        completing.append(call)
        let start = call.positionAfterSkippingLeadingTrivia.utf8Offset
        edits.append(Edit(start..<leftParen.endPositionBeforeTrailingTrivia.utf8Offset, "\(name)(.\(kind)("))
        edits.append(Edit(replacing: rightParen, with: call.arguments.isEmpty ? "()))" : "))"))
        return true
    }

    /// `seal.resolve(.fulfilled(x))`.
    private mutating func completeWithResult(_ use: DeclReferenceExprSyntax) -> Bool {
        guard !isGuarantee, let member = use.parent?.as(MemberAccessExprSyntax.self),
            member.declName.baseName.text == "resolve", let call = member.parent?.as(FunctionCallExprSyntax.self),
            call.calledExpression.id == ExprSyntax(member).id, call.arguments.count == 1,
            let result = call.arguments.first?.expression.as(FunctionCallExprSyntax.self)?.calledExpression
                .as(MemberAccessExprSyntax.self), result.base == nil,
            let kind = ["fulfilled": "success", "rejected": "failure"][result.declName.baseName.text]
        else { return false }
        completing.append(call)
        results.append(result.declName.baseName.id)
        edits += [Edit(replacing: member, with: name), Edit(replacing: result.declName, with: kind)]
        return true
    }

    /// `future { load(completion: $0) }` for `Promise { seal in load(completion: seal.resolve) }`.
    ///
    /// Nil if the closure does more than one call that is given the seal.
    func forwardingEdits(_ call: FunctionCallExprSyntax, _ closure: ClosureExprSyntax) -> [Edit]? {
        guard let use = others.first, others.count == 1, completing.isEmpty, call.calledExpression.plainName != nil,
            use.closures(below: closure).isEmpty, closure.onlyExpression != nil,
            call.arguments.allSatisfy({ $0.label?.text == "resolver" })
        else { return nil }
        let member = use.parent?.as(MemberAccessExprSyntax.self)
        guard isGuarantee ? member == nil : member?.declName.baseName.text == "resolve" else { return nil }
        let value = member.map { ExprSyntax($0) } ?? ExprSyntax(use)
        guard value.parent?.is(LabeledExprSyntax.self) ?? false else { return nil }
        let captures = closure.signature?.capture.map { " \($0.trimmedDescription) in" } ?? ""
        let start = call.positionAfterSkippingLeadingTrivia.utf8Offset
        let head = closure.signature.map { Syntax($0) } ?? Syntax(closure.leftBrace)
        let end = closure.endPositionBeforeTrailingTrivia.utf8Offset
        return [
            Edit(start..<head.endPositionBeforeTrailingTrivia.utf8Offset, "future {" + captures),
            Edit(replacing: value, with: "$0"),
            // The parentheses around the closure.
            Edit(end..<call.endPositionBeforeTrailingTrivia.utf8Offset, ""),
        ]
    }
}

extension DeclReferenceExprSyntax {
    /// The closures between this and one around it.
    fileprivate func closures(below closure: ClosureExprSyntax) -> [ClosureExprSyntax] {
        sequence(first: Syntax(self), next: \.parent).prefix { $0.id != closure.id }
            .compactMap { $0.as(ClosureExprSyntax.self) }
    }
}

extension ClosureExprSyntax {
    /// Whether it makes a promise, and gets a seal of its own.
    fileprivate var isOfPromise: Bool {
        let call = parent?.as(FunctionCallExprSyntax.self) ?? parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
        return ["Promise", "Guarantee"].contains(call?.calledExpression.plainName ?? "")
    }
}

private final class ReferenceFinder: SyntaxVisitor {
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
