import Callbacks
public import SourceFiles
import SwiftSyntax

/// Writes the overloads of the functions with completion handlers in a file, after the functions.
///
/// The overload has the same name, the same labels, access level, generics, attributes and availability; its doc comment
/// is that of the function without what is said about the completion handler. Overloads of the requirements of a protocol
/// go to an extension of it. A function that has the overload already is left alone, so running it twice changes nothing.
///
/// - Parameters:
///   - file: The file.
///   - context: The typealiases and overloads in all files.
///   - options: What to write.
public func wrap(_ file: SourceFile, in context: WrapContext, options: WrapOptions = WrapOptions()) -> WrappedFile {
    let wrapper = Wrapper(file, context, options)
    wrapper.walk(file.tree)
    var result = WrappedFile(path: file.path, oldText: file.text, text: file.text)
    result.skipped = wrapper.skipped
    result.selected = wrapper.selected
    var edits = wrapper.edits + wrapper.lines.edits
    guard !edits.isEmpty else { return result }
    if let imports = wrapper.importEdit { edits += [imports] + file.qualifyingFutures }
    let text = file.text.applying(edits)
    guard !SourceFile(path: file.path, text: text).tree.hasError else {
        let reason = "The result would not be valid Swift, so the file stays as it is. Please report it."
        result.skipped.append(Skipped(place: file.path, reason: reason))
        return result
    }
    result.text = text
    result.changes = wrapper.changes
    result.notes = wrapper.notes
    return result
}

private final class Wrapper: SyntaxVisitor {
    var edits: [Edit] = []
    var changes: [String] = []
    var skipped: [Skipped] = []
    var notes: [Skipped] = []
    var selected: Set<String> = []
    private let file: SourceFile
    private let context: WrapContext
    private let options: WrapOptions
    private var containers: [Container] = []
    private let imports: Imports
    private let unit: String
    /// The new lines.
    private(set) var lines: Lines
    private let handles: Set<String>
    private var needed: Set<String> = []
    private var writesPublic = false

    init(_ file: SourceFile, _ context: WrapContext, _ options: WrapOptions) {
        self.file = file
        self.context = context
        self.options = options
        imports = Imports(file)
        unit = file.text.indentationUnit
        lines = Lines(file, unit: unit)
        handles = conformers(to: "CancellableHandle", in: file.tree)
        super.init(viewMode: .sourceAccurate)
    }

    var importEdit: Edit? { imports.edit(adding: needed, isPublic: writesPublic) }

    // MARK: Containers

    private func enter(_ container: Container) -> SyntaxVisitorContinueKind {
        containers.append(container)
        return .visitChildren
    }
    private func leave() {
        let qualifiedName = containers.map(\.name).joined(separator: ".")
        let container = containers.removeLast()
        guard !container.requirementOverloads.isEmpty else { return }
        let body = container.requirementOverloads.joined(separator: "\n\n")
        // An extension can't stand in a type.
        let text = "extension \(qualifiedName) {\n\(body)\n}".indented(by: unit, after: "")
        lines.insert("\n\n" + text, after: containers.first?.node ?? container.node)
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { enter(Container(node)) }
    override func visitPost(_ node: ClassDeclSyntax) { leave() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { enter(Container(node)) }
    override func visitPost(_ node: StructDeclSyntax) { leave() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { enter(Container(node)) }
    override func visitPost(_ node: EnumDeclSyntax) { leave() }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { enter(Container(node)) }
    override func visitPost(_ node: ActorDeclSyntax) { leave() }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind { enter(Container(node)) }
    override func visitPost(_ node: ExtensionDeclSyntax) { leave() }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        if options.delegates { draft(node) }
        return enter(Container(node))
    }
    override func visitPost(_ node: ProtocolDeclSyntax) { leave() }
    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    // MARK: Functions

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        var facts = FunctionFacts(node, in: file)
        facts.container = containers.isEmpty ? nil : containers.map(\.name).joined(separator: ".")
        facts.isRequirement = containers.last?.isProtocol ?? false
        facts.inherited = containers.last?.inherited ?? []
        // The protocol has the overloads of what a draft implements.
        if let function = CallbackFunction(facts, path: file.path, aliases: context.aliases), isWanted(facts),
            !facts.isInDraft
        {
            wrap(function, node)
        }
        return .skipChildren
    }
    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        var facts = FunctionFacts(node, in: file)
        facts.container = containers.isEmpty ? nil : containers.map(\.name).joined(separator: ".")
        if let function = CallbackFunction(facts, path: file.path, aliases: context.aliases), isWanted(facts),
            case .byHand(let reason) = function.call
        {
            skip(facts, reason)
        }
        return .skipChildren
    }

    private func isWanted(_ facts: FunctionFacts) -> Bool {
        let names = options.only.intersection([facts.name, facts.fullName, facts.qualifiedName])
        selected.formUnion(names)
        return options.only.isEmpty || !names.isEmpty
    }

    private func skip(_ facts: FunctionFacts, _ reason: String) {
        skipped.append(Skipped(place: facts.place(in: file.path), reason: reason))
    }

    private func wrap(_ function: CallbackFunction, _ node: FunctionDeclSyntax) {
        let facts = function.facts
        if function.isCalledBySystem {
            return skip(facts, "The system calls it: make it async, and call the handler with `callback`.")
        }
        if facts.isOverride {
            return skip(facts, "It overrides another function: wrap that one, whose overload calls this.")
        }
        if node.modifiers.contains(where: { $0.name.text == "optional" }) {
            return skip(facts, "It is an optional requirement: wrap the calls, with `future { … }`.")
        }
        if case .byHand(let reason) = function.call { return skip(facts, reason) }
        if let twin = context.twin(of: function) {
            return skip(facts, "Its overload would be that of \(twin) too: wrap the calls, with `future { … }`.")
        }
        let writer = OverloadWriter(
            function: function, node: node, surroundings: surroundings(of: function), indent: indent(of: node))
        let overloads = context.overloads(of: function)
        let implementation = context.implementation(of: function)
        let isCovered = context.implementsRequirement(facts)
        var added: [String] = []
        if !isCovered, !overloads.contains(where: { $0.facts.returnsFuture }) {
            added.append(
                implementation.map { writer.future(callingAsync: $0.facts) } ?? writer.future())
            changes.append("\(facts.place(in: file.path)): a future")
        }
        if options.async, !isCovered, !overloads.contains(where: { $0.facts.isAsync }) {
            added.append(writer.async())
            changes.append("\(facts.place(in: file.path)): async")
            needed.insert("SimpleFuturesInterop")
        }
        if options.callback, let implementation, !facts.isRequirement {
            turnIntoShell(node, function, writer, calling: implementation.facts)
        }
        if case .several = function.shape, function.shape.hasError, !added.isEmpty {
            notes.append(Skipped(place: facts.place(in: file.path), reason: errorInTuple))
        }
        add(added, after: node, isPublic: isPublic(node), function)
        if implementation != nil, !added.isEmpty { needed.insert("SimpleFuturesInterop") }
    }

    private func isPublic(_ node: FunctionDeclSyntax) -> Bool {
        node.modifiers.contains { ["public", "open", "package"].contains($0.name.text) }
            || containers.last.map { $0.isProtocol && $0.access == "public" } ?? false
    }

    private func add(
        _ overloads: [String], after node: FunctionDeclSyntax, isPublic: Bool, _ function: CallbackFunction
    ) {
        guard !overloads.isEmpty else { return }
        needed.insert("SimpleFutures")
        if case .cancellable = function.call { needed.insert("SimpleFuturesInterop") }
        writesPublic = writesPublic || isPublic
        if containers.last?.isProtocol == true {
            containers[containers.count - 1].requirementOverloads += overloads
        } else {
            let indent = indent(of: node)
            lines.insert(overloads.map { "\n\n" + $0.indented(by: unit, after: indent) }.joined(), after: node)
            lines.spread(containers, around: node)
        }
    }

    private func surroundings(of function: CallbackFunction) -> OverloadWriter.Surroundings {
        let facts = function.facts
        var surroundings = OverloadWriter.Surroundings()
        let container = containers.last
        surroundings.generics = containers.flatMap { container in
            // An extension may stand in another file than its type.
            guard container.node.is(ExtensionDeclSyntax.self) else { return container.generics }
            return context.generics(of: container.name)
        }
        surroundings.isExposed = container?.isExposed ?? false
        surroundings.shadowsFuture =
            containers.contains { $0.members.contains("future") } || facts.parameters.contains { $0.name == "future" }
        surroundings.shadowsFutureType = file.moduleWithFuture != nil || context.declaresFuture
        surroundings.handles = handles
        if container?.isProtocol == true, let access = container?.access { surroundings.access = access }
        surroundings.hasSelf = container != nil
        surroundings.hasPlainNamesake = context.hasPlainNamesake(function)
        return surroundings
    }

    private func indent(of node: some SyntaxProtocol) -> String {
        // The overloads of a protocol's requirements stand in an extension.
        containers.last?.isProtocol == true ? "    " : lines.indent(of: node, in: containers[...])
    }

    // MARK: Shells

    /// The old bodies call the async implementation.
    private func turnIntoShell(
        _ node: FunctionDeclSyntax, _ function: CallbackFunction, _ writer: OverloadWriter,
        calling implementation: FunctionFacts
    ) {
        let isThrowing = implementation.isThrowing
        guard let body = node.body, !body.statements.trimmedDescription.hasPrefix("callback(") else { return }
        guard let shell = CallbackShell(function, node, calling: implementation) else {
            return skip(function.facts, CallbackShell.reason(function, isThrowing: isThrowing))
        }
        edits += shell.edits(calling: writer.asyncCall(isThrowing), indent: writer.indent, unit: unit)
        needed.formUnion(["SimpleFutures", "SimpleFuturesInterop"])
        changes.append("\(function.facts.place(in: file.path)): a shell")
        // A future of a value can't be one of an optional value.
        guard !function.shape.hasOptionalValues(implementation.result) else { return }
        replaceFutureBody(of: function, node, writer, isThrowing)
    }

    /// `future { load(completion: $0) }` becomes `Future { try await self.load() }`.
    private func replaceFutureBody(
        of function: CallbackFunction, _ node: FunctionDeclSyntax, _ writer: OverloadWriter, _ isThrowing: Bool
    ) {
        guard let members = node.parent?.parent?.as(MemberBlockItemListSyntax.self) else { return }
        for member in members {
            guard let other = member.decl.as(FunctionDeclSyntax.self), let body = other.body else { continue }
            let facts = FunctionFacts(other, in: file)
            guard facts.returnsFuture, facts.name == function.facts.name,
                facts.parameters.map(\.labelInName) == function.labelsOfOverload,
                body.statements.trimmedDescription.hasPrefix("future {")
            else { continue }
            edits.append(Edit(replacing: body.statements, with: writer.futureOfAsync(isThrowing)))
        }
    }

    // MARK: Delegates

    private func draft(_ node: ProtocolDeclSyntax) {
        guard let draft = DelegateDraft(node, in: file), options.only.isEmpty || options.only.contains(draft.name)
        else { return }
        selected.formUnion(options.only.intersection([draft.name]))
        let name = draft.className
        guard !declaresClass(name, in: file.tree) else { return }
        let indent = indent(of: node)
        let text = draft.text.indented(by: unit, after: "").split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : indent + $0 }
        lines.insert("\n\n" + text.joined(separator: "\n"), after: node)
        needed.insert("SimpleFutures")
        if draft.access == "public" { writesPublic = true }
        changes.append("\(file.path):\(file.position(of: node.name).line): \(draft.name): a draft of \(name)")
    }
}
