public import SwiftSyntax

extension SourceFile {
    /// The module of another library whose type `Future` is in the way of ours.
    public var moduleWithFuture: String? {
        let modules: Set = ["Combine", "OpenCombine", "BrightFutures", "Pill", "FutureKit"]
        return tree.statements.lazy.compactMap { $0.item.as(ImportDeclSyntax.self)?.path.trimmedDescription }
            .first(where: modules.contains)
    }

    /// Writes `Combine.Future` for each `Future` of a file that imports Combine and gets `import SimpleFutures`, because
    /// the name alone would mean both.
    public var qualifyingFutures: [Edit] {
        let imports = tree.statements.compactMap { $0.item.as(ImportDeclSyntax.self)?.path.trimmedDescription }
        guard let moduleWithFuture, !imports.contains("SimpleFutures") else { return [] }
        let finder = FutureFinder(viewMode: .sourceAccurate)
        finder.walk(tree)
        return finder.names.map {
            Edit(inserting: moduleWithFuture + ".", at: $0.positionAfterSkippingLeadingTrivia)
        }
    }
}

/// Finds the uses of the type `Future` without a module.
private final class FutureFinder: SyntaxVisitor {
    private(set) var names: [TokenSyntax] = []

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        if node.name.text == "Future" { names.append(node.name) }
        return .visitChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        let member = node.parent?.as(MemberAccessExprSyntax.self)
        if node.baseName.text == "Future", member?.declName.id != node.id { names.append(node.baseName) }
        return .visitChildren
    }
}
