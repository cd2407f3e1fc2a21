import SwiftSyntax

/// Promises of streams without a capacity in view models, which keep all elements as long as the screen lives.
func unboundedStreamIssues(in tree: SourceFileSyntax) -> [Issue] {
    tree.all(ClassDeclSyntax.self).filter(\.isViewModel).flatMap { model -> [Issue] in
        let properties = model.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
        let stored = properties.flatMap(\.bindings).filter { $0.accessorBlock == nil }
        let declared = stored.filter { $0.typeAnnotation?.type.trimmedDescription.contains("StreamPromise") ?? false }
        let names = Set(declared.compactMap(\.pattern.simpleName))
        var issues = stored.compactMap { binding -> Issue? in
            guard let call = binding.initializer?.value.as(FunctionCallExprSyntax.self),
                call.isUnboundedPromise(isDeclared: binding.typeAnnotation != nil && declared.contains(binding))
            else { return nil }
            return issue(at: call.start, binding.pattern.simpleName ?? "")
        }
        for sequence in model.memberBlock.all(SequenceExprSyntax.self) {
            let elements = Array(sequence.elements)
            guard elements.count == 3, elements[1].is(AssignmentExprSyntax.self), let name = elements[0].lastName,
                let call = elements[2].as(FunctionCallExprSyntax.self),
                call.isUnboundedPromise(isDeclared: names.contains(name))
            else { continue }
            issues.append(issue(at: call.start, name))
        }
        return issues
    }
}

private func issue(at position: AbsolutePosition, _ name: String) -> Issue {
    Issue(
        position: position,
        message: "the stream of `\(name)` replays all elements, so it keeps each one as long as this object lives",
        advice: "set a capacity: `StreamPromise(capacity: 1)` for state, `StreamPromise(capacity: 0)` for events")
}

extension FunctionCallExprSyntax {
    fileprivate func isUnboundedPromise(isDeclared: Bool) -> Bool {
        guard !arguments.contains(where: { $0.label?.text == "capacity" }) else { return false }
        let isInit = calledName == "init" && calledExpression.as(MemberAccessExprSyntax.self)?.base == nil
        return calledName == "StreamPromise" || isInit && isDeclared
    }
}

extension ClassDeclSyntax {
    /// Whether the class belongs to a screen, by its attributes, its superclass or its name.
    fileprivate var isViewModel: Bool {
        let attributes = attributes.compactMap { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription }
        if attributes.contains("MainActor") || attributes.contains("Observable") { return true }
        let inherited = inheritanceClause?.inheritedTypes.map { $0.type.trimmedDescription } ?? []
        if inherited.contains("ObservableObject") { return true }
        return ["Model", "Presenter"].contains { name.text.hasSuffix($0) }
    }
}
