public import Callbacks

/// Facts from all files: typealiases, the overloads that exist already, and other functions of the same names.
public struct WrapContext: Sendable {
    let aliases: AliasTable
    /// Whether the files declare a type `Future` of their own.
    let declaresFuture: Bool
    private let overloads: [String: [Overload]]
    /// The names of the functions that each function calls, by its own name, whatever its type.
    private let callees: [String: Set<String>]
    /// The requirements of protocols, with their generic parameters and the types of their parameters.
    private let requirements: Set<String>
    private let plainCalls: Set<String>
    /// As in ``FileFacts/generics``.
    private let generics: [String: Set<String>]

    /// An overload, and what its body does.
    struct Overload: Sendable {
        let facts: FunctionFacts
        let path: String
        /// The names of the functions that it calls.
        let calls: Set<String>
    }

    /// Collects the overloads in files.
    public init(_ files: [FileFacts]) {
        aliases = AliasTable(files)
        declaresFuture = files.contains(where: \.declaresFuture)
        var overloads: [String: [Overload]] = [:]
        var callees: [String: Set<String>] = [:]
        var requirements: Set<String> = []
        var plainCalls: Set<String> = []
        var generics: [String: Set<String>] = [:]
        for file in files {
            generics.merge(file.generics) { $0.union($1) }
            requirements.formUnion(file.functions.filter(\.isRequirement).map(Self.signature))
            plainCalls.formUnion(file.plainCalls)
            for call in file.calls {
                if let caller = call.caller { callees[file.callers[caller].name, default: []].insert(call.name) }
            }
            for facts in file.functions where facts.isAsync || facts.returnsFuture {
                let calls = file.calls.filter { call in
                    call.caller.map { file.callers[$0].position == facts.position } ?? false
                }
                let key = Self.key(facts)
                overloads[key, default: []].append(
                    Overload(facts: facts, path: file.path, calls: Set(calls.map(\.name))))
            }
        }
        self.overloads = overloads
        self.callees = callees
        self.requirements = requirements
        self.plainCalls = plainCalls
        self.generics = generics
    }

    private static func key(_ facts: FunctionFacts) -> String { (facts.typeName ?? "") + "." + facts.name }

    /// The generic parameters in an extension of a type: its own, and those of the types around it.
    func generics(of type: String) -> [String] {
        let parts = type.split(separator: ".")
        return parts.indices.flatMap { generics[parts[...$0].joined(separator: ".")]?.sorted() ?? [] }
    }

    private static func signature(_ facts: FunctionFacts) -> String {
        (facts.isStatic ? "static " : "") + key(facts) + comparable(facts.generics)
            + facts.parameters.map { "\($0.labelInName): \(comparable($0.type))" }.description
    }

    /// Whether a function in an extension of a protocol implements a requirement, whose overload calls it.
    func implementsRequirement(_ facts: FunctionFacts) -> Bool {
        !facts.isRequirement && requirements.contains(Self.signature(facts))
    }

    /// Whether a call of the overload may mean a function that is neither async nor has a completion handler.
    func hasPlainNamesake(_ function: CallbackFunction) -> Bool {
        !plainCalls.isDisjoint(with: function.callsOfOverload)
    }

    /// The overloads of a function without its completion handlers.
    func overloads(of function: CallbackFunction) -> [Overload] {
        (overloads[Self.key(function.facts)] ?? []).filter { overload in
            let labels = overload.facts.parameters.map(\.labelInName)
            return labels == function.labelsOfOverload
                || labels.filter { $0 != "cancelToken" } == function.labelsOfOverload
        }
    }

    /// The overload that is async and doesn't call the function, not even through others: the new implementation.
    func implementation(of function: CallbackFunction) -> Overload? {
        overloads(of: function).first { overload in
            overload.facts.isAsync && !overload.facts.isRequirement && hasSameTypes(overload.facts, function)
                && !reaches(function.facts.name, from: overload.calls)
        }
    }

    /// Whether functions of these names call one of that name, directly or through others in the files.
    private func reaches(_ name: String, from calls: Set<String>) -> Bool {
        var seen = calls
        var open = Array(calls)
        while let next = open.popLast() {
            guard next != name else { return true }
            for callee in callees[next] ?? [] where seen.insert(callee).inserted { open.append(callee) }
        }
        return false
    }

    /// Whether it takes what the function takes.
    ///
    /// Labels alone don't tell `load(id: Int)` from `load(id: String)`.
    private func hasSameTypes(_ overload: FunctionFacts, _ function: CallbackFunction) -> Bool {
        let own = function.facts.parameters.indices.filter { !function.handlers.contains($0) }
            .map { Self.comparable(function.facts.parameters[$0].type) }
        return overload.isStatic == function.facts.isStatic
            && overload.parameters.filter { $0.labelInName != "cancelToken" }.map { Self.comparable($0.type) } == own
    }

    /// A type without `any` and white space.
    private static func comparable(_ type: String) -> String {
        type.replacing("any ", with: "").filter { !$0.isWhitespace }
    }
}
