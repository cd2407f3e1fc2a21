extension Census {
    /// A description of all live objects that have not ended, and of everything that waits for them.
    package static var report: [String] { PendingReport(of: living).text }
}

/// Describes the objects that have not ended and everything that waits for them.
///
/// Each waiter is on a line below the object that it waits for, indented further.
struct PendingReport {
    /// A longer report would not be read.
    private static let lineLimit = 1_000
    /// Deeper lines are not indented further.
    private static let depthLimit = 25

    /// All objects to report, in the order of their creation.
    private var subjects: [any Subject] = []
    private var dependents: [ObjectIdentifier: [Dependent]] = [:]
    /// Descriptions of an object by others, such as its promise.
    private var notes: [ObjectIdentifier: [String]] = [:]
    /// Objects that wait for another object.
    private var waiting: Set<ObjectIdentifier> = []
    private var told: Set<ObjectIdentifier> = []
    private let names = Names.all
    private var lines: [String] = []

    init(of living: [any Counted]) {
        for one in living {
            let subject = one.subject
            if subject === one {
                add(subject)
            } else if one.isOpen {
                notes[ObjectIdentifier(subject), default: []].append(one.headline)
            }
        }
        for subject in subjects where !waiting.contains(ObjectIdentifier(subject)) { tell(of: subject) }
        // Cycles have no beginning, so start anywhere in them.
        for subject in subjects where !told.contains(ObjectIdentifier(subject)) { tell(of: subject) }
    }

    /// Adds an object that has not ended, or that has not notified all observers of its end.
    private mutating func add(_ one: any Subject) {
        let all = one.dependents
        guard one.isOpen || !all.isEmpty else { return }
        subjects.append(one)
        dependents[ObjectIdentifier(one)] = all
        for case .other(let other, _) in all.map(\.who) { waiting.insert(ObjectIdentifier(other)) }
    }

    /// The lines of the report, shortened if there are too many.
    var text: [String] {
        guard lines.count > Self.lineLimit else { return lines }
        return lines.prefix(Self.lineLimit) + ["... and \(lines.count - Self.lineLimit) more"]
    }

    /// Iterative, because a chain may be long.
    private mutating func tell(of root: any Subject) {
        var rest: [(line: String, one: (any Subject)?, depth: Int)] = [(describe(root), root, 0)]
        while let (line, one, depth) = rest.popLast() {
            let isNew = one.map { told.insert(ObjectIdentifier($0)).inserted } ?? true
            let indentation = String(repeating: "    ", count: min(depth, Self.depthLimit))
            lines.append(indentation + line + (isNew ? "" : ", as above"))
            if isNew, let one { rest += waits(for: one).reversed().map { ($0.line, $0.one, depth + 1) } }
        }
    }

    private func waits(for one: any Subject) -> [(line: String, one: (any Subject)?)] {
        (dependents[ObjectIdentifier(one)] ?? one.dependents).map { dependent in
            var words: [String] = []
            if !dependent.place.isEmpty { words.append(dependent.place) }
            if dependent.isDispatched { words.append("which has not run it yet") }
            switch dependent.who {
            case .other(let other, let relation):
                return ((["\(describe(other))", relation] + words).joined(separator: ", "), other)
            case .somebody(let name): return (([name] + words).joined(separator: ", "), nil)
            }
        }
    }

    private func describe(_ one: any Subject) -> String {
        let name = names[ObjectIdentifier(one)].map { " \"\($0)\"" } ?? ""
        let state = one.isOpen ? [] : ["which has ended"]
        return ([one.headline + name] + state + (notes[ObjectIdentifier(one)] ?? [])).joined(separator: ", ")
    }
}
