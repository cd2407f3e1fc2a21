public import SourceFiles
import SwiftSyntax

/// A call of a library, and what becomes of it.
public struct PortedCall: Sendable, Hashable {
    /// The way a call is handled.
    public enum Outcome: Sendable, Hashable {
        /// It is replaced.
        case rewritten
        /// It has the same name and the same meaning here.
        case same
        /// It is left, for this reason.
        case left(String)
    }

    /// Where the call is.
    public let position: Position
    /// The row of the page.
    public let row: Row
    /// The way it is handled.
    public let outcome: Outcome
}

/// A file of a library, and its text after the rewrites.
public struct PortedFile: Sendable {
    /// The file.
    public let path: String
    /// The calls, from top to bottom.
    public let calls: [PortedCall]
    /// The text as it is.
    public let before: String
    /// The text with all calls replaced that have a call for them here.
    public let after: String

    /// The changes as a unified diff; empty if there are none.
    public var diff: String { unifiedDiff(path: path, before: before, after: after) }
}

/// Finds the calls of a library, and replaces each call that one call here stands for.
public struct Porter: Sendable {
    /// The library.
    public var library: Library
    /// Whether to take files that don't import the library: another file of their module does so for all.
    public var assumesImport: Bool

    /// A porter.
    public init(from library: Library, assumesImport: Bool = false) {
        self.library = library
        self.assumesImport = assumesImport
    }

    /// The rows that calls are counted under.
    public static func rows(of library: Library) -> [Row] {
        switch library {
        case .promisekit: PromiseKitRow.all
        case .brightfutures: BrightFuturesRow.all
        case .combine: CombineRow.all
        }
    }

    /// The calls in a file.
    ///
    /// Nil if it doesn't import the library.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - context: The declarations of all files of the run; without it, those of this file.
    public func port(_ file: SourceFile, in context: PortContext? = nil) -> PortedFile? {
        guard takes(file) else { return nil }
        let context = context ?? PortContext([facts(file)])
        let imports = imports(file)
        var visitor = makeVisitor(file, context)
        visitor.walk(file.tree)
        if assumesImport || imports.isEmpty || visitor.calls.contains(where: { $0.outcome.isLeft }) {
            // The library stays imported, and may have a type of the same name.
            visitor = makeVisitor(file, context, keepsLibrary: true)
            visitor.walk(file.tree)
        }
        let calls = visitor.calls.map { call in
            let location = file.converter.location(for: call.position)
            return PortedCall(
                position: Position(line: location.line, column: location.column), row: call.row, outcome: call.outcome)
        }
        var edits = visitor.edits
        if !edits.isEmpty {
            let keepsLibrary = calls.contains { $0.outcome.isLeft }
            edits += importEdits(imports, usesInterop: visitor.usesInterop, keepsLibrary: keepsLibrary, file)
            if library == .combine, keepsLibrary { edits += file.qualifyingFutures }
        }
        let sorted = calls.sorted { $0.position < $1.position }
        let after = file.text.applying(edits)
        // Text that doesn't parse is not written.
        guard !SourceFile(path: file.path, text: after).tree.hasError else {
            let left = sorted.map { $0.leftAlone }
            return PortedFile(path: file.path, calls: left, before: file.text, after: file.text)
        }
        return PortedFile(path: file.path, calls: sorted, before: file.text, after: after)
    }

    /// Whether a file uses the library.
    func takes(_ file: SourceFile) -> Bool {
        assumesImport || !imports(file).isEmpty || importsInConfiguration(file.tree)
    }

    private func imports(_ file: SourceFile) -> [ImportDeclSyntax] {
        file.tree.statements.compactMap { $0.item.as(ImportDeclSyntax.self) }
            .filter { library.modules.contains($0.path.first?.name.text ?? "") }
    }

    private func makeVisitor(_ file: SourceFile, _ context: PortContext, keepsLibrary: Bool = false) -> PortingVisitor {
        switch library {
        case .promisekit: PromiseKitVisitor(file, keepsLibrary: keepsLibrary)
        case .brightfutures: BrightFuturesVisitor(viewMode: .sourceAccurate)
        case .combine: CombineVisitor(context, keepsLibrary: keepsLibrary)
        }
    }

    private func importsInConfiguration(_ tree: SourceFileSyntax) -> Bool {
        tree.statements.contains { item in
            item.item.is(IfConfigDeclSyntax.self)
                && library.modules.contains { module in
                    item.description.split(whereSeparator: \.isNewline).contains { $0.hasSuffix("import \(module)") }
                }
        }
    }

    /// Replaces the import, or adds ours while calls of the library are left.
    private func importEdits(
        _ imports: [ImportDeclSyntax], usesInterop: Bool, keepsLibrary: Bool, _ file: SourceFile
    ) -> [Edit] {
        guard let first = imports.first else { return [] }
        let present = Set(
            file.tree.statements.compactMap { $0.item.as(ImportDeclSyntax.self)?.path.first?.name.text })
        var modules = library.replacement
        if usesInterop, !modules.contains("SimpleFuturesInterop") { modules.append("SimpleFuturesInterop") }
        let lines = modules.filter { !present.contains($0) }.map { "import \($0)" }
        let text = lines.joined(separator: "\n")
        if keepsLibrary {
            guard !lines.isEmpty else { return [] }
            return [Edit(inserting: "\n" + text, at: first.endPositionBeforeTrailingTrivia)]
        }
        let removed = lines.isEmpty ? imports[...] : imports.dropFirst()
        let edits = removed.map { file.removingLine(of: $0) }
        return lines.isEmpty ? edits : [Edit(replacing: first, with: text)] + edits
    }
}

extension SourceFile {
    /// Removes an import, and its line unless a comment stands there too.
    fileprivate func removingLine(of node: ImportDeclSyntax) -> Edit {
        let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = node.endPositionBeforeTrailingTrivia.utf8Offset
        let isLine = text.utf8.dropFirst(end).first == 0x0A
        return Edit(start..<(isLine ? end + 1 : end), "")
    }
}

extension PortedCall {
    /// The call of a file that is left as it is.
    fileprivate var leftAlone: PortedCall {
        guard outcome == .rewritten else { return self }
        let reason = "the file doesn't parse with all calls replaced, so it is left as it is"
        return PortedCall(position: position, row: row, outcome: .left(reason))
    }
}

extension PortedCall.Outcome {
    var isLeft: Bool { if case .left = self { true } else { false } }
}

/// The calls and edits that the visitors of all libraries collect.
class PortingVisitor: SyntaxVisitor {
    struct Found {
        var position: AbsolutePosition
        var row: Row
        var outcome: PortedCall.Outcome
    }
    private(set) var calls: [Found] = []
    private(set) var edits: [Edit] = []
    /// Whether the new text needs the second module.
    var usesInterop = false
    private var constrained: Set<AbsolutePosition> = []
    private var constrainedTypes: [SyntaxIdentifier: Set<String>] = [:]

    func rewrite(_ row: Row, at node: some SyntaxProtocol, _ edits: [Edit]) {
        calls.append(Found(position: node.positionAfterSkippingLeadingTrivia, row: row, outcome: .rewritten))
        self.edits += edits
    }

    func keep(_ row: Row, at node: some SyntaxProtocol) {
        calls.append(Found(position: node.positionAfterSkippingLeadingTrivia, row: row, outcome: .same))
    }

    func leave(_ row: Row, at node: some SyntaxProtocol, because reason: String) {
        calls.append(Found(position: node.positionAfterSkippingLeadingTrivia, row: row, outcome: .left(reason)))
    }

    /// Adds edits that belong to a call that is counted elsewhere.
    func also(_ edits: [Edit]) { self.edits += edits }

    /// Makes the generic parameters `Sendable` that a future's type names, each once: `func load<T: Sendable>() -> Future<T>`.
    ///
    /// If only a type of a parameter's is named, as in `Future<R.Response>`, the parameter can stay as it is.
    func constrainGenerics(in arguments: GenericArgumentClauseSyntax?) {
        guard let arguments else { return }
        let names = Set(
            arguments.tokens(viewMode: .sourceAccurate).filter { $0.nextToken(viewMode: .sourceAccurate)?.text != "." }
                .map(\.text))
        for parent in sequence(first: Syntax(arguments), next: \.parent) {
            guard let generic = parent.asProtocol((any WithGenericParametersSyntax).self) else { continue }
            for parameter in generic.genericParameterClause?.parameters ?? []
            where names.contains(parameter.name.text) && !generic.constrainsToSendable(parameter) {
                guard constrained.insert(parameter.position).inserted else { continue }
                let end = parameter.inheritedType?.endPositionBeforeTrailingTrivia
                edits.append(
                    end.map { Edit(inserting: " & Sendable", at: $0) }
                        ?? Edit(inserting: ": Sendable", at: parameter.name.endPositionBeforeTrailingTrivia))
            }
        }
        let parents = sequence(first: Syntax(arguments), next: \.parent)
        if let function = parents.lazy.compactMap({ $0.as(FunctionDeclSyntax.self) }).first {
            constrainTypes(in: arguments, of: function)
        }
    }

    /// `func load<R: Request>() -> Future<R.Response> where R.Response: Sendable`.
    private func constrainTypes(in arguments: GenericArgumentClauseSyntax, of function: FunctionDeclSyntax) {
        let own = Set(function.genericParameterClause?.parameters.map(\.name.text) ?? [])
        let types = arguments.tokens(viewMode: .sourceAccurate).compactMap { $0.parent?.as(MemberTypeSyntax.self) }
            .filter { $0.baseType.as(IdentifierTypeSyntax.self).map { own.contains($0.name.text) } ?? false }
        for type in types where type.name.text != "Type" {
            let text = "\(type.trimmedDescription): Sendable"
            let present = function.genericWhereClause?.requirements.map(\.trimmedDescription) ?? []
            guard !present.contains(where: { $0.hasPrefix(text) }),
                constrainedTypes[function.id, default: []].insert(text).inserted
            else { continue }
            let isFirst = constrainedTypes[function.id]?.count == 1 && function.genericWhereClause == nil
            let place = function.genericWhereClause.map { Syntax($0) } ?? Syntax(function.signature)
            also([Edit(inserting: (isFirst ? " where " : ", ") + text, at: place.endPositionBeforeTrailingTrivia)])
        }
    }
}

extension WithGenericParametersSyntax {
    fileprivate func constrainsToSendable(_ parameter: GenericParameterSyntax) -> Bool {
        let requirements = genericWhereClause?.requirements.map(\.trimmedDescription) ?? []
        let constraints =
            requirements.filter { $0.hasPrefix(parameter.name.text + ":") }
            + [parameter.inheritedType?.trimmedDescription ?? ""]
        return constraints.contains { $0.contains("Sendable") }
    }
}
