import Callbacks
import SourceFiles
import SwiftSyntax

/// A class that implements a delegate's protocol with a `StreamPromise`.
struct DelegateDraft {
    let name: String
    let access: String?
    private let methods: [Method]
    private let isObjectiveC: Bool
    private let isMainActor: Bool
    private let isSendable: Bool

    private struct Method {
        let facts: FunctionFacts
        let signature: String
        let caseName: String
        /// The parameters without the sender.
        let values: [ParameterFacts]

        /// Whether its caller gets something back, by its result or a closure.
        var isQuestion: Bool { facts.result != nil || facts.parameters.contains { $0.closure != nil || $0.isEscaping } }

        /// The name of the closure that answers: a property can't have the full name of a method.
        var answer: String {
            facts.name == caseName && facts.parameters.allSatisfy { $0.label == nil } ? caseName + "Answer" : caseName
        }

        /// The type of the closure that answers.
        var answerType: String {
            let types = facts.parameters.map { $0.isEscaping ? "@escaping " + $0.type : $0.type }
            return "(" + types.joined(separator: ", ") + ") -> " + (facts.result ?? "Void")
        }
    }

    /// Nil if the protocol isn't that of a delegate, or has members that a draft can't implement.
    init?(_ node: ProtocolDeclSyntax, in file: SourceFile) {
        name = node.name.text
        guard name.hasSuffix("Delegate") || name.hasSuffix("Observer") || name.hasSuffix("Listener") else { return nil }
        access = node.modifiers.map(\.name.text).first { ["public", "package", "fileprivate", "private"].contains($0) }
        let inherited = node.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
        isObjectiveC = inherited.contains("NSObjectProtocol")
        isMainActor = node.attributes.contains {
            $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "MainActor"
        }
        isSendable = inherited.contains("Sendable")
        let known: Set = ["AnyObject", "class", "NSObjectProtocol", "Sendable"]
        guard known.isSuperset(of: inherited) else { return nil }
        let sender = DelegateFacts.sender(of: name)
        var methods: [Method] = []
        for member in node.memberBlock.members {
            guard let function = member.decl.as(FunctionDeclSyntax.self), function.genericParameterClause == nil else {
                return nil
            }
            let facts = FunctionFacts(function, in: file)
            guard !facts.isAsync, !facts.isThrowing, !facts.isStatic else { return nil }
            let values = facts.parameters.filter { $0.type != sender && $0.type.wrappedType != sender }
            methods.append(
                Method(
                    facts: facts,
                    signature: function.name.text + function.signature.trimmedDescription,
                    caseName: Self.caseName(facts, sender), values: values))
        }
        guard methods.contains(where: { !$0.isQuestion }) else { return nil }
        guard Set(methods.map(\.caseName)).count == methods.count else { return nil }
        self.methods = methods
    }

    /// `barometer(_:didMeasure:)` is `didMeasure`, `barometerDidStop(_:)` is `didStop`.
    private static func caseName(_ facts: FunctionFacts, _ sender: String) -> String {
        let labels = facts.parameters.compactMap(\.label)
        if let label = labels.first(where: { ["did", "will", "should"].contains($0.words.first ?? "") }) {
            return ([label] + labels.drop { $0 != label }.dropFirst().map(\.capitalizedFirst)).joined()
        }
        let lower = sender.lowercased()
        var name = facts.name
        if name.lowercased().hasPrefix(lower), name.count > lower.count { name = String(name.dropFirst(lower.count)) }
        return (name.prefix(1).lowercased() + name.dropFirst()).escaped
    }

    private var events: [Method] { methods.filter { !$0.isQuestion } }
    private var questions: [Method] { methods.filter(\.isQuestion) }
    private var prefix: String { access.map { $0 + " " } ?? "" }

    /// `BarometerEvents` for `BarometerDelegate`.
    var className: String { DelegateFacts.draftName(of: name) }

    /// The element of the stream: the value of the only event, or a case for each.
    private var element: String {
        guard events.count == 1 else { return "Event" }
        return Self.tuple(events[0].values)
    }

    /// 1 for a value that changes, 0 for events.
    private var capacity: Int { events.count == 1 && element != "Void" ? 1 : 0 }

    private var replayed: String { capacity == 1 ? "the newest element" : "no elements" }

    private static func tuple(_ values: [ParameterFacts]) -> String {
        values.isEmpty
            ? "Void" : values.count == 1 ? values[0].type : "(" + values.map(\.type).joined(separator: ", ") + ")"
    }

    /// The class.
    var text: String {
        var lines = [
            "/// A draft: the calls of \(name) as a stream. It replays \(replayed) to later subscribers."
        ]
        if isMainActor { lines.append("@MainActor") }
        let inherited = (isObjectiveC ? ["NSObject"] : []) + [name]
        lines.append("\(prefix)final class \(className): \(inherited.joined(separator: ", ")) {")
        if events.count > 1 {
            lines.append("    \(prefix)enum Event: Sendable {")
            for event in events {
                let values = event.values.isEmpty ? "" : "(" + event.values.map(\.type).joined(separator: ", ") + ")"
                lines.append("        case \(event.caseName)\(values)")
            }
            lines += ["    }", ""]
        }
        lines.append("    private let promise = StreamPromise<\(element)>(capacity: \(capacity))")
        lines.append("    \(prefix)var stream: FutureStream<\(element)> { promise.stream }")
        lines += answers
        for event in events {
            lines += function(event.signature, body: "promise.success(\(value(of: event)))")
        }
        for question in questions {
            let arguments = question.facts.parameters.map(\.name.escaped).joined(separator: ", ")
            let isShadowed = question.facts.parameters.contains { $0.name.escaped == question.answer }
            let answer = (isShadowed ? "self." : "") + question.answer
            lines += function(question.signature, body: "\(answer)(\(arguments))")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private func function(_ signature: String, body: String) -> [String] {
        let line = "    \(prefix)func \(signature) { \(body) }"
        return line.count <= 120 ? [line] : ["    \(prefix)func \(signature) {", "        \(body)", "    }"]
    }

    /// Closures for the methods that return a value, which a stream can't.
    private var answers: [String] {
        guard !questions.isEmpty else {
            return isObjectiveC || access == "public" || access == "package" ? emptyInit : [""]
        }
        var lines: [String] = []
        var parameters: [String] = []
        var assignments: [String] = []
        for question in questions {
            let type = (isSendable ? "@Sendable " : "") + question.answerType
            lines.append("    private let \(question.answer): \(type)")
            parameters.append("\(question.answer): @escaping \(type)")
            assignments.append("        self.\(question.answer) = \(question.answer)")
        }
        lines += ["", "    \(prefix)init(\(parameters.joined(separator: ", "))) {"]
        return lines + assignments + ["    }", ""]
    }

    private var emptyInit: [String] {
        ["", "    \(isObjectiveC ? "override " : "")\(prefix)init() {}", ""]
    }

    private func value(of event: Method) -> String {
        let names = event.values.map(\.name.escaped)
        if events.count > 1 {
            return ".\(event.caseName)" + (names.isEmpty ? "" : "(" + names.joined(separator: ", ") + ")")
        }
        return names.count == 1 ? names[0] : "(" + names.joined(separator: ", ") + ")"
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
