import SourceFiles
import SwiftSyntax

/// The mistakes on the paths of all continuations in a file.
func continuationIssues(in file: SourceFile) -> (notResumed: [Issue], resumedTwice: [Issue]) {
    let collector = ContinuationCollector(viewMode: .sourceAccurate)
    collector.walk(file.tree)
    var notResumed: Set<Issue> = []
    var resumedTwice: Set<Issue> = []
    for continuation in collector.found {
        let check = ContinuationCheck(
            continuation, neverReturning: collector.neverReturning,
            line: { file.converter.location(for: $0).line })
        check.run()
        notResumed.formUnion(check.notResumed)
        resumedTwice.formUnion(check.resumedTwice)
    }
    return (Array(notResumed), Array(resumedTwice))
}

/// Code that has to resume a continuation.
struct ContinuationScope {
    /// The name of the continuation.
    var name: String
    /// The closure or the body of the function.
    var body: CodeBlockItemListSyntax
    /// Where the call or the function begins.
    var position: AbsolutePosition
    /// The assignments that the enclosing function made before.
    var assignedBefore: Set<String> = []
}

let continuationFunctions: Set<String> = [
    "withCheckedContinuation", "withCheckedThrowingContinuation", "withUnsafeContinuation",
    "withUnsafeThrowingContinuation",
]

private final class ContinuationCollector: SyntaxVisitor {
    var found: [ContinuationScope] = []
    var neverReturning: Set<String> = []

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard let name = node.calledName, continuationFunctions.contains(name),
            let closure = node.closures.last?.closure
        else { return .visitChildren }
        let parameter = closure.signature?.parameterClause == nil ? "$0" : closure.parameterNames.first
        if let parameter, parameter != "_" {
            let assignments = Syntax(node).enclosingFunction?.all(SequenceExprSyntax.self) ?? []
            let before = assignments.filter { $0.position < node.position }.compactMap(\.assignedName)
            found.append(
                ContinuationScope(
                    name: parameter, body: closure.statements, position: node.start, assignedBefore: Set(before)))
        }
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.signature.returnClause?.type.trimmedDescription == "Never" { neverReturning.insert(node.name.text) }
        // A function with a result tells its caller what it has done with the continuation.
        guard node.signature.returnClause == nil else { return .visitChildren }
        for parameter in node.signature.parameterClause.parameters {
            let type = parameter.type.trimmedDescription
            guard ["CheckedContinuation<", "UnsafeContinuation<"].contains(where: { type.hasPrefix($0) }),
                let body = node.body
            else { continue }
            let name = (parameter.secondName ?? parameter.firstName).text
            found.append(ContinuationScope(name: name, body: body.statements, position: node.start))
        }
        return .visitChildren
    }
}
