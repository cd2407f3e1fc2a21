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
    private let calledNames: Set<String>
    /// The types of the files, with those that they inherit from.
    private let inheritance: [String: Set<String>]
    /// The functions that would have the same overload, by what it would be.
    private let twins: [String: Set<String>]
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
        var calledNames: Set<String> = []
        var inheritance: [String: Set<String>] = [:]
        var twins: [String: Set<String>] = [:]
        var generics: [String: Set<String>] = [:]
        for file in files {
            calledNames.formUnion(file.calledNames)
            inheritance.merge(file.inheritance) { $0.union($1) }
            for facts in file.functions {
                guard let function = CallbackFunction(facts, path: file.path, aliases: aliases) else { continue }
                twins[Self.overload(of: function), default: []].insert(facts.fullName)
            }
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
        self.calledNames = calledNames
        self.inheritance = inheritance
        self.twins = twins
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
        if !plainCalls.isDisjoint(with: function.callsOfOverload) { return true }
        guard let type = function.facts.typeName, isForeign(type) else { return false }
        let names = function.callsOfOverload.map { $0.dropFirst(type.count + 1) }
        return names.contains { calledNames.contains(String($0)) }
    }

    /// Whether a type or one that it inherits from is declared elsewhere, perhaps with functions of the same names:
    /// `UIViewController`.
    private func isForeign(_ type: String) -> Bool {
        var seen: Set = [type]
        var open = [type]
        while let next = open.popLast() {
            guard let inherited = inheritance[next] else {
                if plainTypes.contains(next) { continue }
                return true
            }
            for parent in inherited {
                let name = String((parent.split(separator: ".").last ?? "").prefix { $0 != "<" })
                if seen.insert(name).inserted { open.append(name) }
            }
        }
        return false
    }

    /// Another function whose overload would be the same: they differ only in their completion handlers.
    func twin(of function: CallbackFunction) -> String? {
        twins[Self.overload(of: function)]?.subtracting([function.facts.fullName]).min()
    }

    private static func overload(of function: CallbackFunction) -> String {
        let facts = function.facts
        let parameters = facts.parameters.indices.filter { !function.handlers.contains($0) }.map {
            facts.parameters[$0]
        }
        return (facts.isStatic ? "static " : "") + (facts.container ?? "") + "." + facts.name
            + comparable(facts.generics) + parameters.map { "\($0.labelInName): \(comparable($0.type))" }.description
            + (function.shape.futureType ?? "")
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

/// Types that have no functions with completion handlers.
private let plainTypes: Set = [
    "Any", "AnyObject", "CaseIterable", "Codable", "Comparable", "CustomStringConvertible", "Decodable", "Encodable",
    "Equatable", "Error", "Hashable", "Identifiable", "LocalizedError", "NSObject", "NSObjectProtocol",
    "ObservableObject", "RawRepresentable", "Sendable", "String", "Int",
]
