import SwiftSyntax

/// The kind of a name, as far as its declarations tell.
enum SubjectKind: Sendable, Hashable {
    /// A `PassthroughSubject`, which becomes a `StreamPromise`.
    case promise
    /// A `StreamPromise`, as an earlier run writes it.
    case ported
    /// A subject that is left.
    case left
    /// An `AnyPublisher` that becomes a `FutureStream`, or has become one in an earlier run.
    case stream
    /// An `AnyPublisher` of a protocol: it becomes the same as those of the protocol's types.
    case requirement
    /// An `AnyPublisher` that is left.
    case erased
    /// Another type.
    case other
    /// It is declared more than once, and not with the same kind.
    case ambiguous

    /// The kind of a name with several declarations.
    ///
    /// Nil if none of them is a subject or an `AnyPublisher`.
    init?(_ kinds: Set<SubjectKind>) {
        let kinds = kinds.subtracting(Self.erasures).union([.erasure(kinds)].compactMap(\.self))
        guard let first = kinds.first, kinds != [.other] else { return nil }
        self = kinds.count == 1 ? first : .ambiguous
    }

    private static let erasures: Set<SubjectKind> = [.stream, .requirement, .erased]

    /// The replacement of all `AnyPublisher`s of a name.
    ///
    /// Nil if there is none.
    static func erasure(_ kinds: Set<SubjectKind>) -> SubjectKind? {
        let found = kinds.intersection(erasures)
        guard !found.isEmpty else { return nil }
        return found.subtracting([.requirement]) == [.stream] ? .stream : .erased
    }
}

/// The note for a chain with a `CurrentValueSubject`.
let leftSubjectReason = "the chain has a subject, which is left"

/// The note for a `sink` on a promise.
let promiseReason = "the variable holds a `StreamPromise`: write `.stream.onSuccess(cancelToken: token.token) { … }`"

/// The subjects and the `AnyPublisher`s that a file can name.
struct Subjects {
    /// The kinds of the names that the file itself declares.
    var own: [String: Set<SubjectKind>] = [:]
    /// The kinds of the names that other objects can use.
    var shared: [String: Set<SubjectKind>] = [:]
    /// The declarations of `AnyPublisher`s in the file, by their types.
    var erasures: [SyntaxIdentifier: Erasure] = [:]
    /// The properties of all files.
    var properties = PortContext()
    /// The functions of the file that have a parameter for a `PassthroughSubject`.
    var takers: Set<String> = []

    /// Whether a function of this name has a parameter for a `PassthroughSubject`.
    func takesSubject(_ name: String) -> Bool { takers.contains(name) || properties.takers.contains(name) }

    /// The kind of a subject: `taps`, `self.taps`, `model.taps`, `PassthroughSubject<Int, Never>()`.
    ///
    /// Nil if it is no subject that a file of this run declares.
    func kind(of expression: ExprSyntax) -> SubjectKind? {
        let made = expression.as(FunctionCallExprSyntax.self)?.calledExpression
        if made?.plainName == "PassthroughSubject" { return .promise }
        guard let name = expression.lastName else { return nil }
        // A variable of another type in the file can be the subject too: `if let taps = self.taps`.
        if expression.isOwn, let kinds = own[name] { return SubjectKind(kinds.subtracting([.other])) }
        let near = SubjectKind(shared[name, default: []].subtracting([.other]))
        return near ?? SubjectKind(properties.kinds(of: name))
    }

    /// Whether an expression is a subject that becomes a `StreamPromise`.
    func isReplaced(_ expression: ExprSyntax) -> Bool { kind(of: expression) == .promise }

    /// Whether an expression is a property of another object, and no subject that a file of this run declares.
    func mayBeElsewhere(_ expression: ExprSyntax) -> Bool {
        !expression.isOwn && expression.lastName != "objectWillChange"
            && [nil, .ported].contains(kind(of: expression))
    }

    /// Why an expression stays a publisher.
    ///
    /// Nil if it doesn't, or if no file of this run declares it.
    func reasonToLeave(_ expression: ExprSyntax) -> String? {
        switch kind(of: expression) {
        case .left: leftSubjectReason
        case .ported: "it begins with a `StreamPromise`: write `.stream` after its name"
        case .ambiguous:
            "`\(expression.lastName ?? "")` is declared more than once, with different types"
        case .erased:
            "`\(expression.lastName ?? "")` is an `AnyPublisher`, which is left"
        case .promise, .stream, .requirement, .other, nil: nil
        }
    }
}

/// The names of variables by the kind of subject that they hold.
final class SubjectFinder: SyntaxVisitor {
    /// Whether the file is ported, so that its `PassthroughSubject`s are replaced.
    private let isPorted: Bool
    /// The names of the file.
    private(set) var subjects = Subjects()

    init(_ file: SourceFileSyntax, isPorted: Bool) {
        self.isPorted = isPorted
        super.init(viewMode: .sourceAccurate)
        walk(file)
        let alone = subjects
        for erasure in alone.erasures.values {
            note(erasure.name, isPorted ? erasure.kind(alone) : .erased, isShared: erasure.isShared)
        }
    }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        guard let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else { return .visitChildren }
        if let erasure = Erasure(node) {
            subjects.erasures[erasure.type.id] = erasure
            return .visitChildren
        }
        let called = node.initializer?.value.as(FunctionCallExprSyntax.self)?.calledExpression
        let made = called?.plainName ?? called?.as(MemberAccessExprSyntax.self)?.base?.plainName
        let isShared = node.parent?.parent?.as(VariableDeclSyntax.self)?.isShared ?? false
        note(name, kind(node.typeAnnotation?.type.subjectName ?? made), isShared: isShared)
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        // Functions of other types have these names too: `NotificationCenter.default.publisher(for: name)`.
        if let erasure = Erasure(node), sureRows[erasure.name] == nil {
            subjects.erasures[erasure.type.id] = erasure
        }
        return .visitChildren
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        note((node.secondName ?? node.firstName).text, kind(node.type.subjectName))
        let function = node.parent?.parent?.parent?.parent?.as(FunctionDeclSyntax.self)
        if let function, node.type.subjectName == "PassthroughSubject" { subjects.takers.insert(function.name.text) }
        return .visitChildren
    }

    override func visit(_ node: ClosureSignatureSyntax) -> SyntaxVisitorContinueKind {
        for name in node.parent?.as(ClosureExprSyntax.self)?.parameterNames ?? [] { note(name, .other) }
        return .visitChildren
    }

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
        if !(node.parent?.is(PatternBindingSyntax.self) ?? false) { note(node.identifier.text, .other) }
        return .visitChildren
    }

    private func note(_ name: String, _ kind: SubjectKind, isShared: Bool = false) {
        subjects.own[name, default: []].insert(kind)
        if isShared { subjects.shared[name, default: []].insert(kind) }
    }

    private func kind(_ type: String?) -> SubjectKind {
        if type == "PassthroughSubject" { return isPorted ? .promise : .left }
        if type == "StreamPromise" { return .ported }
        if type == "FutureStream" { return .stream }
        if type == "AnyPublisher" { return .erased }
        return type?.hasSuffix("Subject") ?? false ? .left : .other
    }
}

extension WithModifiersSyntax {
    /// Whether this is a member of a type, and not private.
    var isShared: Bool {
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
