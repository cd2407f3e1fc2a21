import Callbacks
public import Foundation
public import SourceFiles

/// The scan as JSON.
public struct ScanReport: Codable, Sendable {
    /// A function with a completion handler.
    public struct Function: Codable, Sendable {
        /// The file.
        public var path: String
        /// The line, from 1.
        public var line: Int
        /// The column, from 1, in UTF-8 bytes.
        public var column: Int
        /// The full name, with the type's.
        public var name: String
        /// "function", "initializer" or "requirement".
        public var kind: String
        /// Whether it is marked `@objc`.
        public var isObjC: Bool
        /// The name of the shape: "(T?, Error?)".
        public var shape: String
        /// The parameters of the completion handler.
        public var parameters: String?
        /// The typealias of the completion handler.
        public var alias: String?
        /// The value type of its future.
        public var value: String?
        /// The type of the error if it is one certain type.
        public var typedError: String?
        /// Whether the completion handler is optional.
        public var isOptional: Bool
        /// Whether the completion handler is `@Sendable` or belongs to a global actor.
        public var isSendable: Bool
        /// The global actor of the completion handler.
        public var actor: String?
        /// The function's return type.
        public var handle: String?
        /// The call by `future`, if it takes the function.
        public var future: String?
        /// Why it doesn't, and what to write.
        public var byHand: String?
        /// "callback", "wrapped" or "awaited".
        public var stage: Stage
        /// "leaf", "middle" or "root".
        public var level: Level
        /// Whether the system calls it.
        public var isCalledBySystem: Bool
        /// The functions that call it, by name.
        public var callers: [String]
        /// The functions with completion handlers that it calls, by name.
        public var calls: [String]
    }

    /// A protocol of a delegate.
    public struct DelegateProtocol: Codable, Sendable {
        /// The file.
        public var path: String
        /// The line, from 1.
        public var line: Int
        /// The name.
        public var name: String
        /// The methods that return nothing.
        public var events: [String]
        /// The methods that return a value.
        public var questions: [String]
    }

    /// A closure that is called again and again.
    public struct Closure: Codable, Sendable {
        /// The file.
        public var path: String
        /// The line, from 1.
        public var line: Int
        /// The function or property.
        public var name: String
        /// The parameters of the closure.
        public var parameters: String
    }

    /// The numbers of functions, as in a baseline.
    public var totals: Totals
    /// The number of files that were read.
    public var files: Int
    /// The functions.
    public var functions: [Function]
    /// The delegates.
    public var delegates: [DelegateProtocol]
    /// The closures that are called again and again.
    public var repeated: [Closure]
    /// The files that could not be read or parsed.
    public var problems: [SourceFileProblem]
}

extension Inventory {
    /// The scan as JSON, with sorted keys.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(report)
    }

    /// The scan as a value that can be encoded.
    public var report: ScanReport {
        let system = calledBySystem.map {
            InventoryEntry(function: $0, stage: .callback, callers: [], callees: [], level: .leaf)
        }
        return ScanReport(
            totals: totals, files: fileCount,
            functions: entries.map { .init($0, isCalledBySystem: false) }
                + system.map { .init($0, isCalledBySystem: true) },
            delegates: delegates.map {
                .init(
                    path: $0.path, line: $0.facts.position.line, name: $0.facts.name, events: $0.facts.events,
                    questions: $0.facts.questions)
            },
            repeated: repeated.map {
                .init(path: $0.path, line: $0.position.line, name: $0.name, parameters: $0.parameters)
            },
            problems: problems)
    }
}

extension ScanReport.Function {
    init(_ entry: InventoryEntry, isCalledBySystem: Bool) {
        let function = entry.function
        path = function.path
        line = function.facts.position.line
        column = function.facts.position.column
        name = function.facts.qualifiedName
        kind = function.facts.isRequirement ? "requirement" : function.facts.isInitializer ? "initializer" : "function"
        isObjC = function.facts.isObjC
        shape = function.shape.name
        parameters = function.closure?.text
        alias = function.alias
        value = function.shape.futureType
        typedError = function.shape.typedError
        isOptional = function.closure?.isOptional ?? false
        isSendable = function.closure.map { $0.isSendable || $0.actor != nil } ?? false
        actor = function.closure?.actor
        handle = function.handle
        switch function.call {
        case .future(let call), .cancellable(let call): future = call
        case .byHand(let reason): byHand = reason
        }
        stage = entry.stage
        level = entry.level
        self.isCalledBySystem = isCalledBySystem
        callers = entry.callers
        calls = entry.callees
    }
}
