import SwiftSyntax

/// The names of the subjects of a file.
struct Subjects {
    /// The subjects that become a `StreamPromise`.
    var replaced: Set<String>
    /// The others.
    var left: Set<String>

    /// Whether a name is that of a subject that is left, perhaps one of another file.
    func isLeft(_ name: String) -> Bool {
        left.contains(name) || name.lowercased().hasSuffix("subject") && !replaced.contains(name)
    }
}

/// The names of variables by the kind of subject that they hold.
final class SubjectFinder: SyntaxVisitor {
    private var passthrough: Set<String> = []
    private var others: Set<String> = []

    /// The names; one that holds both kinds is left.
    var subjects: Subjects { Subjects(replaced: passthrough.subtracting(others), left: others) }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        guard let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else { return .visitChildren }
        let called = node.initializer?.value.as(FunctionCallExprSyntax.self)?.calledExpression
        let made = called?.plainName ?? called?.as(MemberAccessExprSyntax.self)?.base?.plainName
        note(name, node.typeAnnotation?.type.subjectName ?? made)
        return .visitChildren
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        note((node.secondName ?? node.firstName).text, node.type.subjectName)
        return .visitChildren
    }

    private func note(_ name: String, _ type: String?) {
        if type == "PassthroughSubject" {
            passthrough.insert(name)
        } else if type?.hasSuffix("Subject") ?? false {
            others.insert(name)
        }
    }
}

extension TypeSyntax {
    /// The name of the type, without `?` and `!`.
    fileprivate var subjectName: String? {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.subjectName }
        if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return optional.wrappedType.subjectName
        }
        return self.as(IdentifierTypeSyntax.self)?.name.text
    }
}

extension Syntax {
    /// Whether this is the value of a variable or a parameter that holds a `PassthroughSubject`.
    func isSubject(among names: Set<String>) -> Bool {
        if let assigned = parent?.as(ExprListSyntax.self), assigned.count == 3,
            assigned.dropFirst().first?.is(AssignmentExprSyntax.self) ?? false
        {
            return assigned.first?.lastName.map(names.contains) ?? false
        }
        guard parent?.is(InitializerClauseSyntax.self) ?? false else { return false }
        let around = parent?.parent
        let type =
            around?.as(PatternBindingSyntax.self)?.typeAnnotation?.type
            ?? around?.as(FunctionParameterSyntax.self)?.type
        return type?.subjectName == "PassthroughSubject"
    }
}
