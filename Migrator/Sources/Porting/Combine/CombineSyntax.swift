import SwiftSyntax

extension FunctionCallExprSyntax {
    /// Whether this is `Combine.Future { … }`.
    var makesCombineFuture: Bool {
        let type = calledExpression.as(GenericSpecializationExprSyntax.self)?.expression ?? calledExpression
        let name = type.trimmedDescription
        return Library.combine.modules.contains { name == "\($0).Future" }
    }
}

extension Chain {
    /// Whether the chain begins with `$name`.
    var isPublished: Bool {
        let first = base.firstToken(viewMode: .sourceAccurate)?.text ?? ""
        return ([first] + names).contains { $0.hasPrefix("$") && $0.dropFirst().first?.isLetter ?? false }
    }

    /// Whether the chain is certainly one of publishers, and not of arrays.
    var isCombine: Bool { isCombine(besides: nil) }

    /// Whether the chain is certainly one of publishers without a name that it has.
    func isCombine(besides name: String?) -> Bool {
        if names.contains(where: { $0 != name && sureRows[$0] != nil }) { return true }
        if names.contains("publisher") { return true }
        return ["Just", "Fail", "Deferred", "Publishers", "PassthroughSubject", "CurrentValueSubject"].contains(
            baseName ?? "")
    }
}

extension ExprSyntax {
    /// The chain with a closure whose value this is, if the closure doesn't say the type: `a.flatMap { load($0) }`.
    var outerChain: Chain? {
        guard let closure = Syntax(self).closureOfResult, closure.signature?.returnClause == nil else { return nil }
        // The closure stands after the parentheses or in them.
        let call =
            closure.parent?.as(FunctionCallExprSyntax.self)
            ?? closure.parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
        guard let call, let member = call.calledExpression.as(MemberAccessExprSyntax.self),
            ["map", "flatMap", "catch"].contains(member.declName.baseName.text)
        else { return nil }
        return Chain(around: call)
    }
}
