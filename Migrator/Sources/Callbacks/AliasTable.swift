/// The typealiases of all files, to look up aliases of closures and results.
public struct AliasTable: Sendable {
    private struct Entry: Sendable {
        let path: String
        let alias: AliasFacts
    }

    private var entries: [String: [Entry]] = [:]

    /// Creates a table of the typealiases in files.
    public init(_ files: [FileFacts]) {
        for file in files {
            for alias in file.aliases { entries[alias.name, default: []].append(Entry(path: file.path, alias: alias)) }
        }
    }

    /// The closure that a parameter takes.
    ///
    /// - Returns: The closure's type, and the name of the typealias that it was found by. The closure is nil if the typealias isn't
    ///   declared in the files.
    func closure(of parameter: ParameterFacts, in function: FunctionFacts, path: String)
        -> (closure: ClosureType?, alias: String?)?
    {
        if let closure = parameter.closure { return (resolvingResults(of: closure, function, path), nil) }
        guard parameter.mayBeAlias else { return nil }
        let wrapped = parameter.type.wrappedType
        let name = wrapped ?? parameter.type
        guard var closure = closure(named: name, function, path, depth: 0) else {
            // A class or a generic parameter isn't marked as escaping, a closure has to be.
            return parameter.isEscaping ? (nil, String(name.prefix { $0 != "<" })) : nil
        }
        closure.isEscaping = parameter.isEscaping
        closure.isOptional = closure.isOptional || wrapped != nil
        return (closure, String(name.prefix { $0 != "<" }))
    }

    private func closure(named name: String, _ function: FunctionFacts, _ path: String, depth: Int) -> ClosureType? {
        guard depth < 5, let alias = alias(named: name, function, path) else { return nil }
        guard var closure = alias.closure else {
            let wrapped = alias.type.wrappedType
            var closure = self.closure(named: wrapped ?? alias.type, function, path, depth: depth + 1)
            if wrapped != nil { closure?.isOptional = true }
            return closure
        }
        let types = Dictionary(zip(alias.generics, arguments(of: name)), uniquingKeysWith: { first, _ in first })
        closure.parameters = closure.parameters.map { $0.substituting(types) }
        return resolvingResults(of: closure, function, path)
    }

    /// Replaces the typealias of a result by the result, as `future(method:)` takes that apart.
    private func resolvingResults(of closure: ClosureType, _ function: FunctionFacts, _ path: String) -> ClosureType {
        guard closure.parameters.count == 1, let type = closure.parameters.first, type.first?.isLetter == true,
            let alias = alias(named: type, function, path), alias.closure == nil
        else { return closure }
        let types = Dictionary(zip(alias.generics, arguments(of: type)), uniquingKeysWith: { first, _ in first })
        guard alias.type.genericArguments(of: "Result") != nil else { return closure }
        var closure = closure
        closure.parameters = [alias.type.substituting(types)]
        return closure
    }

    private func arguments(of name: String) -> [String] {
        guard let open = name.firstIndex(of: "<"), name.hasSuffix(">") else { return [] }
        return String(name[name.index(after: open)...].dropLast()).splitAtTopLevel(",")
    }

    /// The nearest: in the same type, in the types around it, in the same file, at the top, and then any.
    private func alias(named name: String, _ function: FunctionFacts, _ path: String) -> AliasFacts? {
        let parts = name.prefix { $0 != "<" }.split(separator: ".").map(String.init)
        guard let last = parts.last, var found = entries[last] else { return nil }
        if parts.count > 1 {
            let outer = parts.dropLast().joined(separator: ".")
            found = found.filter { $0.alias.container == outer || $0.alias.container?.hasSuffix("." + outer) == true }
            return found.first?.alias
        }
        var container = function.container
        while let present = container {
            if let near = found.first(where: { $0.alias.container == present }) { return near.alias }
            container = present.lastIndex(of: ".").map { String(present[..<$0]) }
        }
        return (found.first { $0.path == path } ?? found.first { $0.alias.container == nil } ?? found.first)?.alias
    }
}
