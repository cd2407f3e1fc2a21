public import Callbacks
import SourceFiles

/// Reads files and finds the functions with completion handlers in them.
///
/// Callers are found by name: a call counts if its base name and its labels are those of the function. A call on `self`
/// means a function of the same type, if there is one; any other call means all functions of that name.
///
/// - Parameters:
///   - paths: The files.
///   - progress: Runs after each file with the number of files that are done, on any thread.
public func scan(_ paths: [String], progress: (@Sendable (Int) -> Void)? = nil) -> Inventory {
    let mapped = mapSourceFiles(paths, progress: progress) { FileFacts($0) }
    var inventory = Inventory(mapped.outputs)
    inventory.problems = mapped.problems
    return inventory
}

extension Inventory {
    /// Links the facts of files.
    public init(_ files: [FileFacts]) {
        let aliases = AliasTable(files)
        var linker = Linker()
        var found: [CallbackFunction] = []
        fileCount = files.count
        libraries = otherLibraries(in: files)
        for file in files {
            delegates += file.delegates.map { Delegate(path: file.path, facts: $0) }
            repeated += file.storedCallbacks.map {
                RepeatedCallback(path: file.path, name: $0.name, parameters: $0.parameters, position: $0.position)
            }
            // The delegate's protocol has the functions that a draft implements.
            for facts in file.functions where !facts.isInDraft {
                if let function = CallbackFunction(facts, path: file.path, aliases: aliases) {
                    if function.isCalledBySystem { calledBySystem.append(function) } else { found.append(function) }
                } else if facts.isAsync || facts.returnsFuture {
                    linker.addOverload(facts, path: file.path)
                }
                repeated += aliases.repeatedCallbacks(of: facts, path: file.path)
            }
        }
        // An override of a function that isn't in the files: the class is the system's, and so is the caller.
        let names = Set(found.filter { !$0.facts.isOverride }.map(\.facts.fullName))
        for function in found {
            if function.facts.isOverride, !names.contains(function.facts.fullName) {
                calledBySystem.append(function)
            } else {
                linker.add(function)
            }
        }
        calledBySystem.sort { ($0.path, $0.facts.position) < ($1.path, $1.facts.position) }
        for file in files { linker.link(file) }
        entries = linker.entries
        repeated.sort { ($0.path, $0.position) < ($1.path, $1.position) }
    }
}

extension AliasTable {
    fileprivate func repeatedCallbacks(of facts: FunctionFacts, path: String) -> [RepeatedCallback] {
        guard !facts.isInitializer else { return [] }
        return repeatedClosures(of: facts, path: path).map { closure in
            RepeatedCallback(
                path: path, name: facts.qualifiedName, parameters: closure.text, position: facts.position)
        }
    }
}

/// Finds the callers of each function.
private struct Linker {
    private var functions: [CallbackFunction] = []
    private var callers: [[String]] = []
    private var callees: [[String]] = []
    private var stages: [Stage] = []
    private var isCalledByOther: [Bool] = []
    /// The functions by the name that calls them.
    private var byName: [String: [Int]] = [:]
    /// The overloads by container and base name.
    private var overloads: [String: [FunctionFacts]] = [:]
    /// The functions and overloads by file and position.
    private var byPlace: [String: [Position: Int]] = [:]
    private var overloadPlaces: [String: Set<Position>] = [:]

    mutating func add(_ function: CallbackFunction) {
        let name = function.facts.isInitializer ? function.facts.typeName ?? "init" : function.facts.name
        byName[name, default: []].append(functions.count)
        byPlace[function.path, default: [:]][function.facts.position] = functions.count
        functions.append(function)
        callers.append([])
        callees.append([])
        stages.append(.callback)
        isCalledByOther.append(false)
    }

    mutating func addOverload(_ facts: FunctionFacts, path: String) {
        overloads[key(facts.typeName, facts.name), default: []].append(facts)
        overloadPlaces[path, default: []].insert(facts.position)
    }

    private func key(_ type: String?, _ name: String) -> String { (type ?? "") + "." + name }

    private func isOverload(_ facts: FunctionFacts, of function: CallbackFunction) -> Bool {
        let labels = facts.parameters.filter { $0.label != "cancelToken" }.map(\.labelInName)
        let wanted = function.labelsOfOverload
        return labels == wanted || facts.parameters.map(\.labelInName) == wanted
    }

    mutating func link(_ file: FileFacts) {
        for index in (byPlace[file.path] ?? [:]).values where stages[index] == .callback {
            let function = functions[index]
            let family = overloads[key(function.facts.typeName, function.facts.name)] ?? []
            if family.contains(where: { isOverload($0, of: function) }) { stages[index] = .wrapped }
        }
        for call in file.calls {
            guard let candidates = byName[call.name] else { continue }
            let caller = call.caller.map { file.callers[$0] }
            for index in targets(of: call, from: caller, among: candidates) { add(call, from: caller, to: index, file) }
            if call.isAwaited, !mayBeUnrelated(call) {
                for index in candidates where isCallOfOverload(call, of: functions[index]) {
                    guard !isInOverload(caller, of: functions[index], file) else { continue }
                    awaited.insert(index)
                }
            }
        }
    }
    private var awaited: Set<Int> = []

    /// Async functions and those with futures that have no counterpart with a completion handler, by base name.
    private lazy var unrelated: [String: [FunctionFacts]] = {
        var unrelated: [String: [FunctionFacts]] = [:]
        for family in overloads.values {
            for facts in family {
                let isKnown = (byName[facts.name] ?? []).contains { index in
                    functions[index].facts.typeName == facts.typeName && isOverload(facts, of: functions[index])
                }
                if !isKnown { unrelated[facts.name, default: []].append(facts) }
            }
        }
        return unrelated
    }()

    /// Whether the call may be one of a function that was never wrapped, in another type.
    private mutating func mayBeUnrelated(_ call: CallFacts) -> Bool {
        (unrelated[call.name] ?? []).contains { $0.isCalled(withLabels: call.labels) }
    }

    private mutating func add(_ call: CallFacts, from caller: Caller?, to index: Int, _ file: FileFacts) {
        if call.isWrapped {
            stages[index] = .wrapped
            if call.isAwaited, !isInOverload(caller, of: functions[index], file) { awaited.insert(index) }
            return
        }
        guard let caller, !isInOverload(caller, of: functions[index], file) else { return }
        let place = byPlace[file.path]?[caller.position]
        guard place != index else { return }
        callers[index].append(caller.qualifiedName)
        if let place {
            callees[place].append(functions[index].facts.qualifiedName)
            isCalledByOther[index] = true
        }
    }

    /// The overload calls the function that it wraps, and isn't a caller to migrate.
    private func isInOverload(_ caller: Caller?, of function: CallbackFunction, _ file: FileFacts) -> Bool {
        guard let caller, overloadPlaces[file.path]?.contains(caller.position) == true else { return false }
        let family = overloads[key(function.facts.typeName, function.facts.name)] ?? []
        return family.contains { $0.position == caller.position && isOverload($0, of: function) }
    }

    private func targets(of call: CallFacts, from caller: Caller?, among candidates: [Int]) -> [Int] {
        let matching = candidates.filter { functions[$0].isCalled(by: call) }
        guard call.isOnSelf, matching.count > 1, let container = caller?.container else { return matching }
        let type = container.split(separator: ".").last.map(String.init)
        let own = matching.filter { functions[$0].facts.typeName == type }
        return own.isEmpty ? matching : own
    }

    private func isCallOfOverload(_ call: CallFacts, of function: CallbackFunction) -> Bool {
        guard !call.isReference, call.trailing.isEmpty else { return false }
        return function.isCalled(withLabels: call.labels.filter { $0 != "cancelToken" })
    }

    var entries: [InventoryEntry] {
        functions.indices.map { index in
            let called = Array(Set(callees[index])).sorted()
            let stage: Stage = stages[index] == .wrapped && awaited.contains(index) ? .awaited : stages[index]
            return InventoryEntry(
                function: functions[index], stage: stage, callers: Array(Set(callers[index])).sorted(), callees: called,
                level: called.isEmpty ? .leaf : isCalledByOther[index] ? .middle : .root)
        }
        .sorted { ($0.function.path, $0.function.facts.position) < ($1.function.path, $1.function.facts.position) }
    }
}
