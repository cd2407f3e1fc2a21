public import SourceFiles
import SwiftSyntax

/// The declarations of a file that other files use.
public struct PortFacts: Sendable {
    /// The kinds of the properties, by their names.
    var properties: [String: Set<SubjectKind>] = [:]
    /// Whether a type of the file has the name `Result`.
    var declaresResult = false
}

/// The declarations of all files of a run.
public struct PortContext: Sendable {
    private var properties: [String: Set<SubjectKind>] = [:]
    /// Whether a type of the files has the name `Result`.
    let declaresResult: Bool

    /// Joins the declarations of files.
    public init(_ files: [PortFacts] = []) {
        var all: [String: Set<SubjectKind>] = [:]
        for file in files { all.merge(file.properties) { $0.union($1) } }
        declaresResult = files.contains(where: \.declaresResult)
        properties = all.filter { $0.value != [.other] }
    }

    /// The kinds of the properties of a name; empty if none is a subject or an `AnyPublisher`.
    func kinds(of name: String) -> Set<SubjectKind> { properties[name, default: []] }
}

extension Porter {
    /// The declarations of a file that other files use.
    public func facts(_ file: SourceFile) -> PortFacts {
        if library == .promisekit { return PortFacts(declaresResult: ResultFinder.finds(in: file.tree)) }
        guard library == .combine else { return PortFacts() }
        return PortFacts(properties: SubjectFinder(file.tree, isPorted: takes(file)).subjects.shared)
    }
}

/// Finds the declaration of a generic type `Result`.
private final class ResultFinder: SyntaxVisitor {
    private var found = false

    static func finds(in file: SourceFileSyntax) -> Bool {
        let finder = ResultFinder(viewMode: .sourceAccurate)
        finder.walk(file)
        return finder.found
    }

    override func visit(_ node: GenericParameterClauseSyntax) -> SyntaxVisitorContinueKind {
        if node.parent?.asProtocol((any NamedDeclSyntax).self)?.name.text == "Result" { found = true }
        return .skipChildren
    }
}
