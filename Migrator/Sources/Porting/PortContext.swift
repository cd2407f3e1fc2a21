public import SourceFiles

/// The declarations of a file that other files use.
public struct PortFacts: Sendable {
    /// The kinds of the properties, by their names.
    var properties: [String: Set<SubjectKind>] = [:]
    /// The functions that have a parameter for a `PassthroughSubject`.
    var takers: Set<String> = []
    /// Whether a type of the file has the name `Result`.
    var declaresResult = false
    /// The types of the properties, variables, parameters and functions, by their names; empty if they aren't promises.
    var promises: [String: Set<String>] = [:]
}

/// The declarations of all files of a run.
public struct PortContext: Sendable {
    private var properties: [String: Set<SubjectKind>] = [:]
    /// The functions that have a parameter for a `PassthroughSubject`.
    let takers: Set<String>
    /// Whether a type of the files has the name `Result`.
    let declaresResult: Bool
    private let promises: [String: String]

    /// Joins the declarations of files.
    public init(_ files: [PortFacts] = []) {
        var all: [String: Set<SubjectKind>] = [:]
        for file in files { all.merge(file.properties) { $0.union($1) } }
        takers = files.reduce(into: []) { $0.formUnion($1.takers) }
        var types: [String: Set<String>] = [:]
        for file in files { types.merge(file.promises) { $0.union($1) } }
        promises = types.compactMapValues { $0.contains("") ? nil : $0.min() }
        declaresResult = files.contains(where: \.declaresResult)
        properties = all.filter { $0.value != [.other] }
    }

    /// The type of a name that is always declared as a promise.
    func promise(named name: String) -> String? { promises[name] }

    /// The kinds of the properties of a name; empty if none is a subject or an `AnyPublisher`.
    func kinds(of name: String) -> Set<SubjectKind> { properties[name, default: []] }
}

extension Porter {
    /// The declarations of a file that other files use.
    public func facts(_ file: SourceFile) -> PortFacts {
        if library == .promisekit { return PromiseFinder(file.tree).facts }
        guard library == .combine else { return PortFacts() }
        let subjects = SubjectFinder(file.tree, isPorted: takes(file)).subjects
        return PortFacts(properties: subjects.shared, takers: subjects.takers)
    }
}
