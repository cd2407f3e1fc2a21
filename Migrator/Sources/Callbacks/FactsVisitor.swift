public import SourceFiles
import SwiftSyntax

extension FileFacts {
    /// Collects the facts of a file.
    public init(_ file: SourceFile) {
        let visitor = FactsVisitor(file)
        visitor.walk(file.tree)
        self = visitor.facts
    }
}

/// Names of calls whose closures wrap what they call.
private let bridges: Set = ["future", "futureStream", "Future", "TypedFuture", "FutureStream", "withCompletionHandler"]

final class FactsVisitor: SyntaxVisitor {
    var facts: FileFacts
    private let file: SourceFile
    private var containers: [(name: String, isProtocol: Bool, inherited: [String])] = []
    private var caller: Int?
    /// Closures and functions around the present node, as far as they matter to calls.
    private var awaits = [0]
    private var wraps = 0

    init(_ file: SourceFile) {
        self.file = file
        facts = FileFacts(path: file.path)
        super.init(viewMode: .sourceAccurate)
    }

    // MARK: Libraries

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        if let module = node.path.first { facts.modules.insert(module.name.text) }
        return .skipChildren
    }
    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind { addType(node.name) }
    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind { addType(node.name) }
    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind { addType(node.baseName) }

    private func addType(_ name: TokenSyntax) -> SyntaxVisitorContinueKind {
        if eventLoopTypes.contains(name.text) { facts.types.insert(name.text) }
        return .visitChildren
    }

    // MARK: Types

    private func enter(
        _ name: String, isProtocol: Bool = false, isExtension: Bool = false,
        _ inheritance: InheritanceClauseSyntax?,
        _ generics: GenericParameterClauseSyntax? = nil
    ) -> SyntaxVisitorContinueKind {
        let inherited = inheritance?.inheritedTypes.map { typeText($0.type) } ?? []
        if name == "Future", !isExtension { facts.declaresFuture = true }
        if !isExtension { facts.inheritance[name, default: []].formUnion(inherited) }
        containers.append((name, isProtocol, inherited))
        addGenerics(generics?.parameters.map(\.name.text) ?? [])
        return .visitChildren
    }
    private func leave() { containers.removeLast() }

    private func addGenerics(_ names: [String]) {
        guard !names.isEmpty, let container else { return }
        facts.generics[container, default: []].formUnion(names)
    }

    private var container: String? {
        containers.isEmpty ? nil : containers.map(\.name).joined(separator: ".")
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, node.inheritanceClause, node.genericParameterClause)
    }
    override func visitPost(_ node: ClassDeclSyntax) { leave() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, node.inheritanceClause, node.genericParameterClause)
    }
    override func visitPost(_ node: StructDeclSyntax) { leave() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, node.inheritanceClause, node.genericParameterClause)
    }
    override func visitPost(_ node: EnumDeclSyntax) { leave() }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text, node.inheritanceClause, node.genericParameterClause)
    }
    override func visitPost(_ node: ActorDeclSyntax) { leave() }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        let name = typeText(node.extendedType)
        return enter(String(name.prefix { $0 != "<" }), isExtension: true, node.inheritanceClause)
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { leave() }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        if let delegate = DelegateFacts(node, in: file) { facts.delegates.append(delegate) }
        let result = enter(node.name.text, isProtocol: true, node.inheritanceClause)
        addGenerics(node.memberBlock.members.compactMap { $0.decl.as(AssociatedTypeDeclSyntax.self)?.name.text })
        return result
    }
    override func visitPost(_ node: ProtocolDeclSyntax) { leave() }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.name.text == "Future" { facts.declaresFuture = true }
        var alias = AliasFacts(name: node.name.text, container: container, type: typeText(node.initializer.value))
        alias.generics = node.genericParameterClause?.parameters.map(\.name.text) ?? []
        alias.closure = ClosureType(node.initializer.value)
        if alias.closure != nil || alias.type.first?.isLetter == true { facts.aliases.append(alias) }
        return .visitChildren
    }

    // MARK: Functions

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        add(FunctionFacts(node, in: file))
        return enterBody()
    }
    override func visitPost(_ node: FunctionDeclSyntax) { leaveBody() }
    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        add(FunctionFacts(node, in: file))
        return enterBody()
    }
    override func visitPost(_ node: InitializerDeclSyntax) { leaveBody() }

    /// Functions in functions: their calls belong to the outer one.
    private var depth = 0
    private func enterBody() -> SyntaxVisitorContinueKind {
        depth += 1
        awaits.append(0)
        return .visitChildren
    }
    private func leaveBody() {
        depth -= 1
        awaits.removeLast()
        if depth == 0 { caller = nil }
    }

    private func add(_ function: FunctionFacts) {
        guard depth == 0 else { return }
        var function = function
        function.container = container
        function.isRequirement = containers.last?.isProtocol ?? false
        function.inherited = containers.last?.inherited ?? []
        addCaller(function.qualifiedName, function.position)
        let hasClosure = function.parameters.contains { $0.closure?.canOutliveCall == true || $0.mayBeAlias }
        if hasClosure || function.isAsync || function.returnsFuture {
            facts.functions.append(function)
        } else {
            facts.plainCalls.formUnion(function.calls())
        }
    }

    private func addCaller(_ name: String, _ position: Position) {
        caller = facts.callers.count
        facts.callers.append(Caller(container: container, qualifiedName: name, position: position))
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        if depth == 0, let binding = node.bindings.first {
            let name = (container.map { $0 + "." } ?? "") + binding.pattern.trimmedDescription
            addCaller(name, file.position(of: binding))
            addStored(binding, name)
        }
        if isAsyncLet(node) { awaits[awaits.count - 1] += 1 }
        return .visitChildren
    }
    override func visitPost(_ node: VariableDeclSyntax) {
        if isAsyncLet(node) { awaits[awaits.count - 1] -= 1 }
        if depth == 0 { caller = nil }
    }
    private func isAsyncLet(_ node: VariableDeclSyntax) -> Bool {
        node.modifiers.contains { $0.name.text == "async" }
    }

    private func addStored(_ binding: PatternBindingSyntax, _ name: String) {
        guard binding.accessorBlock == nil || binding.initializer != nil, let type = binding.typeAnnotation?.type,
            var closure = ClosureType(type)
        else { return }
        closure.isEscaping = true
        let own = binding.pattern.trimmedDescription
        guard role(of: [own], closure: closure, function: "init", isInitializer: true) == .repeated else { return }
        facts.storedCallbacks.append(
            StoredCallback(name: name, parameters: closure.text, position: file.position(of: binding)))
    }

    // MARK: Calls

    override func visit(_ node: AwaitExprSyntax) -> SyntaxVisitorContinueKind {
        awaits[awaits.count - 1] += 1
        return .visitChildren
    }
    override func visitPost(_ node: AwaitExprSyntax) { awaits[awaits.count - 1] -= 1 }
    override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
        // The sequence is awaited, not the body, which has awaits of its own.
        if node.awaitKeyword != nil {
            awaits[awaits.count - 1] += 1
            walk(node.sequence)
            awaits[awaits.count - 1] -= 1
            if let condition = node.whereClause { walk(condition) }
            walk(node.body)
            return .skipChildren
        }
        return .visitChildren
    }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        let isBridge = isBridge(node)
        awaits.append(isBridge ? awaits[awaits.count - 1] : 0)
        if isBridge { wraps += 1 }
        return .visitChildren
    }
    override func visitPost(_ node: ClosureExprSyntax) {
        awaits.removeLast()
        if isBridge(node) { wraps -= 1 }
    }

    /// Whether a closure is an argument of `future { }` and its like.
    private func isBridge(_ closure: ClosureExprSyntax) -> Bool {
        var node = closure.parent
        while let present = node, present.is(LabeledExprSyntax.self) || present.is(LabeledExprListSyntax.self) {
            node = present.parent
        }
        guard let call = node?.as(FunctionCallExprSyntax.self), let name = calledName(call) else { return false }
        return bridges.contains(name.base)
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard let name = calledName(node) else { return .visitChildren }
        var call = CallFacts(name: name.base, caller: caller)
        call.isOnSelf = name.isOnSelf
        call.labels = node.arguments.map { $0.label?.text ?? "_" }
        if node.trailingClosure != nil {
            call.trailing = ["_"] + node.additionalTrailingClosures.map(\.label.text)
        }
        call.isAwaited = awaits[awaits.count - 1] > 0
        call.isWrapped = wraps > 0
        if !call.labels.isEmpty || !call.trailing.isEmpty || call.isAwaited { facts.calls.insert(call) }
        if call.trailing.isEmpty {
            facts.calledNames.insert(call.name + "(" + call.labels.map { $0 + ":" }.joined() + ")")
        }
        if bridges.contains(name.base) { addReferences(of: node) }
        return .visitChildren
    }

    /// Finds what is passed by name, as in `future(method: client.load)`.
    private func addReferences(of call: FunctionCallExprSyntax) {
        for argument in call.arguments where argument.label == nil || argument.label?.text == "method" {
            guard let name = referencedName(argument.expression) else { continue }
            var reference = CallFacts(name: name.base, caller: caller)
            reference.labels = name.labels ?? []
            reference.isOnSelf = name.isOnSelf
            reference.isReference = true
            reference.isWrapped = true
            reference.isAwaited = awaits[awaits.count - 1] > 0
            facts.calls.insert(reference)
        }
    }

    private typealias Name = (base: String, isOnSelf: Bool, labels: [String]?)

    private func calledName(_ call: FunctionCallExprSyntax) -> Name? { referencedName(call.calledExpression) }

    private func referencedName(_ expression: ExprSyntax) -> Name? {
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            return (reference.baseName.text, true, labels(of: reference))
        }
        if let member = expression.as(MemberAccessExprSyntax.self) {
            let base = member.base?.as(DeclReferenceExprSyntax.self)?.baseName.text
            let isSelf = base == "self" || base == "Self" || base == "super"
            return (member.declName.baseName.text, isSelf, labels(of: member.declName))
        }
        if let generic = expression.as(GenericSpecializationExprSyntax.self) {
            return referencedName(generic.expression)
        }
        if let optional = expression.as(OptionalChainingExprSyntax.self) { return referencedName(optional.expression) }
        return nil
    }

    private func labels(of reference: DeclReferenceExprSyntax) -> [String]? {
        reference.argumentNames?.arguments.map(\.name.text)
    }
}

extension DelegateFacts {
    /// Reads a protocol, or returns nil if its name and methods aren't those of a delegate.
    init?(_ node: ProtocolDeclSyntax, in file: SourceFile) {
        let name = node.name.text
        guard ["Delegate", "Observer", "Listener", "Observing"].contains(where: { name.hasSuffix($0) }) else {
            return nil
        }
        self.init(name: name, events: [], questions: [], position: file.position(of: node.name))
        for case let function? in node.memberBlock.members.map({ $0.decl.as(FunctionDeclSyntax.self) }) {
            let facts = FunctionFacts(function, in: file)
            if facts.result == nil { events.append(facts.fullName) } else { questions.append(facts.fullName) }
        }
        if events.isEmpty { return nil }
    }
}
