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

/// A difference that calls of a file have after the rewrites.
public struct Remark: Sendable, Hashable {
    /// Where the first of these calls is.
    public let position: Position
    /// What to check.
    public let text: String
}

/// A file of a library, and its text after the rewrites.
public struct PortedFile: Sendable {
    /// The file.
    public let path: String
    /// The calls, from top to bottom.
    public let calls: [PortedCall]
    /// What to check in the text with the calls replaced.
    public let remarks: [Remark]
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
        let calls = visitor.calls.map {
            PortedCall(position: file.position(at: $0.position), row: $0.row, outcome: $0.outcome)
        }
        let remarks = visitor.remarks.map { Remark(position: file.position(at: $0.value), text: $0.key) }
        var edits = visitor.edits
        if !edits.isEmpty {
            let keepsLibrary = calls.contains { $0.outcome.isLeft }
            edits += importEdits(usesInterop: visitor.usesInterop, keepsLibrary: keepsLibrary, file)
            if library == .combine, keepsLibrary { edits += file.qualifyingFutures }
        }
        let sorted = calls.sorted { $0.position < $1.position }
        let after = file.text.applying(edits)
        // Text that doesn't parse is not written.
        guard !SourceFile(path: file.path, text: after).tree.hasError else {
            let left = sorted.map { $0.leftAlone }
            return PortedFile(path: file.path, calls: left, remarks: [], before: file.text, after: file.text)
        }
        return PortedFile(
            path: file.path, calls: sorted, remarks: remarks.sorted { $0.position < $1.position }, before: file.text,
            after: after)
    }

    private func makeVisitor(_ file: SourceFile, _ context: PortContext, keepsLibrary: Bool = false) -> PortingVisitor {
        switch library {
        case .promisekit: PromiseKitVisitor(file, context, keepsLibrary: keepsLibrary)
        case .brightfutures: BrightFuturesVisitor(viewMode: .sourceAccurate)
        case .combine: CombineVisitor(context, keepsLibrary: keepsLibrary)
        }
    }
}

extension SourceFile {
    fileprivate func position(at position: AbsolutePosition) -> Position {
        let location = converter.location(for: position)
        return Position(line: location.line, column: location.column)
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
