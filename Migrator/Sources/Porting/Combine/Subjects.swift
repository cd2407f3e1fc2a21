import SwiftSyntax

/// The names of the subjects of a file.
struct Subjects {
    /// The subjects that become a `StreamPromise`.
    var replaced: Set<String>
    /// The others.
    var left: Set<String>
    /// Names of properties that other objects can have a subject in: those that aren't private.
    var shared: Set<String> = []

    /// Whether an expression is a subject that becomes a `StreamPromise`: `taps`, `self.taps`, `model.taps`,
    /// `PassthroughSubject<Int, Never>()`.
    func isReplaced(_ expression: ExprSyntax) -> Bool {
        let made = expression.as(FunctionCallExprSyntax.self)?.calledExpression
        if made?.plainName == "PassthroughSubject" { return true }
        guard let name = expression.lastName, replaced.contains(name) else { return false }
        return expression.isOwn || shared.contains(name)
    }

    /// Whether an expression is a property of another object, and no subject that this file tells about.
    func mayBeElsewhere(_ expression: ExprSyntax) -> Bool {
        guard !expression.isOwn, let name = expression.lastName else { return false }
        return name != "objectWillChange" && !left.contains(name) && !replaced.contains(name)
    }

    /// Whether a name is that of a subject that is left, perhaps one of another file.
    func isLeft(_ name: String) -> Bool {
        left.contains(name) || name.lowercased().hasSuffix("subject") && !replaced.contains(name)
    }
}

/// The names of variables by the kind of subject that they hold.
final class SubjectFinder: SyntaxVisitor {
    private var passthrough: Set<String> = []
    private var others: Set<String> = []
    private var shared: Set<String> = []

    /// The names; one that holds both kinds is left.
    var subjects: Subjects {
        Subjects(replaced: passthrough.subtracting(others), left: others, shared: shared)
    }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        guard let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else { return .visitChildren }
        let called = node.initializer?.value.as(FunctionCallExprSyntax.self)?.calledExpression
        let made = called?.plainName ?? called?.as(MemberAccessExprSyntax.self)?.base?.plainName
        note(name, node.typeAnnotation?.type.subjectName ?? made)
        if let declaration = node.parent?.parent?.as(VariableDeclSyntax.self), declaration.isShared {
            shared.insert(name)
        }
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

extension VariableDeclSyntax {
    /// Whether this is a property that isn't private.
    fileprivate var isShared: Bool {
        (parent?.is(MemberBlockItemSyntax.self) ?? false)
            && !modifiers.contains { ["private", "fileprivate"].contains($0.trimmedDescription) }
    }
}

extension ExprSyntax {
    /// Whether this is a variable, or a property of this object and of no other: `taps`, `self?.taps`, `strongSelf.taps`.
    fileprivate var isOwn: Bool {
        if let optional = self.as(OptionalChainingExprSyntax.self) { return optional.expression.isOwn }
        guard let member = self.as(MemberAccessExprSyntax.self) else { return true }
        return member.base?.lastName.map { $0.lowercased().hasSuffix("self") } ?? true
    }
}

extension FunctionCallExprSyntax {
    /// Whether a call of `send` has the arguments of a subject's.
    var sendsLikeSubject: Bool {
        let labels = arguments.map { $0.label?.text ?? "" }
        return trailingClosure == nil && [[], [""], ["completion"]].contains(labels)
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
    func isSubject(among subjects: Subjects) -> Bool {
        if let assigned = parent?.as(ExprListSyntax.self), assigned.count == 3,
            assigned.dropFirst().first?.is(AssignmentExprSyntax.self) ?? false
        {
            return assigned.first.map(subjects.isReplaced) ?? false
        }
        guard parent?.is(InitializerClauseSyntax.self) ?? false else { return false }
        let around = parent?.parent
        let type =
            around?.as(PatternBindingSyntax.self)?.typeAnnotation?.type
            ?? around?.as(FunctionParameterSyntax.self)?.type
        return type?.subjectName == "PassthroughSubject"
    }
}
