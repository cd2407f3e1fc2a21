import SourceFiles
import SwiftSyntax

/// A declaration of the type `AnyPublisher`: `var taps: AnyPublisher<Int, Never> { subject.eraseToAnyPublisher() }`.
struct Erasure {
    let name: String
    /// The type in the declaration.
    let type: IdentifierTypeSyntax
    /// Whether other objects can use it.
    let isShared: Bool
    private let isRequirement: Bool
    /// The value, if it is one expression.
    private let value: ExprSyntax?

    /// The declaration of a variable.
    init?(_ binding: PatternBindingSyntax) {
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
            let type = binding.typeAnnotation?.type.anyPublisher
        else { return nil }
        (self.name, self.type) = (name, type)
        isShared = binding.parent?.parent?.as(VariableDeclSyntax.self)?.isShared ?? false
        isRequirement = Syntax(binding).isInProtocol
        value = binding.initializer?.value ?? binding.accessorBlock?.getter?.onlyValue
    }

    /// The declaration of a function.
    init?(_ function: FunctionDeclSyntax) {
        guard let type = function.signature.returnClause?.type.anyPublisher else { return nil }
        (name, self.type) = (function.name.text, type)
        isShared = function.isShared
        isRequirement = Syntax(function).isInProtocol
        value = function.body?.statements.onlyValue
    }

    /// The kind of the declaration, taken alone.
    ///
    /// - Parameter subjects: The subjects of its file.
    func kind(_ subjects: Subjects) -> SubjectKind {
        if isRequirement { return .requirement }
        guard let call = value?.as(FunctionCallExprSyntax.self) else { return .erased }
        let chain = Chain(upTo: call)
        // With other operators, or with properties between the calls, it can be anything.
        let isKnown = chain.links.allSatisfy { streamOperators.contains($0.name.text) && !isLeft($0) }
        let isErased = chain.links.last?.name.text == "eraseToAnyPublisher"
        return isErased && isKnown && subjects.isReplaced(chain.receiver) ? .stream : .erased
    }

    /// `FutureStream<T>` in the place of the type.
    var edits: [Edit] {
        guard let arguments = type.genericArgumentClause?.arguments, let first = arguments.first,
            let last = arguments.last
        else { return [] }
        return [
            Edit(replacing: type.name, with: "FutureStream"),
            Edit(
                removingFrom: first.argument.endPositionBeforeTrailingTrivia, to: last.endPositionBeforeTrailingTrivia),
        ]
    }
}

/// Operators of a stream that are replaced or stay, and whose value is a stream too.
private let streamOperators: Set = [
    "map", "tryMap", "compactMap", "tryCompactMap", "filter", "tryFilter", "scan", "mapError", "replaceError",
    "replaceNil", "setFailureType", "assertNoFailure", "removeDuplicates", "debounce", "prefix", "dropFirst", "share",
    "eraseToAnyPublisher",
]

extension TypeSyntax {
    /// The type if it is `AnyPublisher<T, E>`.
    fileprivate var anyPublisher: IdentifierTypeSyntax? {
        guard let type = self.as(IdentifierTypeSyntax.self), type.name.text == "AnyPublisher",
            type.genericArgumentClause?.arguments.count == 2
        else { return nil }
        return type
    }

    /// Whether this is a type of publishers: `AnyPublisher<T, E>?`, `some Publisher<T, E>`.
    fileprivate var isPublisher: Bool {
        ["AnyPublisher", "some Publisher", "any Publisher"].contains { trimmedDescription.hasPrefix($0) }
    }
}

extension Subjects {
    /// Whether a declared `AnyPublisher` becomes a `FutureStream`.
    func isReplaced(_ erasure: Erasure) -> Bool {
        SubjectKind.erasure(erasure.isShared ? properties.kinds(of: erasure.name) : own[erasure.name, default: []])
            == .stream
    }

    /// The note for a chain in a place whose type is left.
    func reasonToLeave(typeOf root: ExprSyntax) -> String? {
        if let list = root.parent?.as(ExprListSyntax.self), list.count == 3, let target = list.first,
            list.dropFirst().first?.is(AssignmentExprSyntax.self) ?? false
        {
            return kind(of: target) == .erased ? erasedReason(of: root) : nil
        }
        guard let type = root.declaredType, type.isPublisher else { return nil }
        return erasures[type.id].map(isReplaced) ?? false ? nil : erasedReason(of: root)
    }

    /// The note for a value whose type stays.
    private func erasedReason(of root: ExprSyntax) -> String {
        let types = isStream(Chain(root: root)) ? "`FutureStream<T>`" : "`FutureStream<T>` or `Future<T>`"
        return "the value has the type `AnyPublisher`, which is left: write \(types) there, and run this again"
    }

    /// Whether a chain begins with the stream of a subject, in this run or an earlier one, and its calls keep all values.
    private func isStream(_ chain: Chain) -> Bool {
        let receiver = chain.receiver
        let kind = kind(of: receiver)
        return (kind == .promise || kind == .stream || receiver.lastName == "stream")
            && chain.links.allSatisfy { streamOperators.contains($0.name.text) }
    }
}

extension ExprSyntax {
    /// The type of the declaration whose value this is.
    fileprivate var declaredType: TypeSyntax? {
        guard let place = Syntax(self).placeOfValue else { return nil }
        guard place.is(InitializerClauseSyntax.self) else { return place.resultType }
        return place.parent?.as(PatternBindingSyntax.self)?.typeAnnotation?.type
            ?? place.parent?.as(FunctionParameterSyntax.self)?.type
    }
}

extension Syntax {
    /// The statement or the initializer whose value this is.
    fileprivate var placeOfValue: Syntax? {
        for node in sequence(first: self, next: \.parent).dropFirst() {
            if node.is(ReturnStmtSyntax.self) || node.isOnlyStatement || node.is(InitializerClauseSyntax.self) {
                return node
            }
            // A part of another value has a type of its own.
            guard [.sequenceExpr, .exprList, .unresolvedTernaryExpr, .tryExpr].contains(node.kind) else { return nil }
        }
        return nil
    }

    /// The closure whose result this is.
    var closureOfResult: ClosureExprSyntax? {
        guard let placeOfValue, !placeOfValue.is(InitializerClauseSyntax.self) else { return nil }
        let owner = sequence(first: placeOfValue, next: \.parent).first {
            $0.is(ClosureExprSyntax.self) || $0.is(FunctionDeclSyntax.self) || $0.is(PatternBindingSyntax.self)
        }
        return owner?.as(ClosureExprSyntax.self)
    }
}

extension Syntax {
    fileprivate var isInProtocol: Bool {
        sequence(first: self, next: \.parent).contains { $0.is(ProtocolDeclSyntax.self) }
    }

    fileprivate var isOnlyStatement: Bool {
        self.is(CodeBlockItemSyntax.self) && parent?.as(CodeBlockItemListSyntax.self)?.count == 1
    }

    /// The result type of the function, the closure or the property around a statement.
    fileprivate var resultType: TypeSyntax? {
        for node in sequence(first: self, next: \.parent) {
            if let closure = node.as(ClosureExprSyntax.self) { return closure.signature?.returnClause?.type }
            if let function = node.as(FunctionDeclSyntax.self) { return function.signature.returnClause?.type }
            if let binding = node.as(PatternBindingSyntax.self) { return binding.typeAnnotation?.type }
        }
        return nil
    }
}

extension AccessorBlockSyntax {
    /// The statements of the getter, if there is no other accessor.
    fileprivate var getter: CodeBlockItemListSyntax? {
        switch accessors {
        case .getter(let statements): statements
        case .accessors(let list): list.count == 1 ? list.first?.body?.statements : nil
        }
    }
}

extension CodeBlockItemListSyntax {
    /// The value of a body with one expression: `{ value }`, `{ return value }`.
    fileprivate var onlyValue: ExprSyntax? {
        guard count == 1, let item = first?.item else { return nil }
        return item.as(ReturnStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self)
    }
}
