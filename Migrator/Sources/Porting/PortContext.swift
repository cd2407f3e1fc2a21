public import SourceFiles

/// The declarations of a file that other files use.
public struct PortFacts: Sendable {
    /// The kinds of the properties, by their names.
    var properties: [String: Set<SubjectKind>] = [:]
}

/// The declarations of all files of a run.
public struct PortContext: Sendable {
    private var properties: [String: Set<SubjectKind>] = [:]

    /// Joins the declarations of files.
    public init(_ files: [PortFacts] = []) {
        var all: [String: Set<SubjectKind>] = [:]
        for file in files { all.merge(file.properties) { $0.union($1) } }
        properties = all.filter { $0.value != [.other] }
    }

    /// The kinds of the properties of a name; empty if none is a subject or an `AnyPublisher`.
    func kinds(of name: String) -> Set<SubjectKind> { properties[name, default: []] }
}

extension Porter {
    /// The declarations of a file that other files use.
    public func facts(_ file: SourceFile) -> PortFacts {
        guard library == .combine else { return PortFacts() }
        return PortFacts(properties: SubjectFinder(file.tree, isPorted: takes(file)).subjects.shared)
    }
}
