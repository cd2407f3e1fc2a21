public import Callbacks
public import SourceFiles

/// How far the migration of a function has come.
public enum Stage: String, Sendable, Codable {
    /// Only the completion handler.
    case callback
    /// There is an overload that returns a future or is async, or its calls are wrapped by `future { }`.
    case wrapped
    /// The overload is awaited somewhere.
    case awaited
}

/// Where a function stands among those with completion handlers.
public enum Level: String, Sendable, Codable {
    /// It calls no other function with a completion handler.
    case leaf
    /// It calls others, and others call it.
    case middle
    /// It calls others, and none of them calls it.
    case root
}

/// A function with a completion handler, and what the other files say about it.
public struct InventoryEntry: Sendable {
    /// The function.
    public var function: CallbackFunction
    /// How far it is.
    public var stage: Stage
    /// The functions that pass it a completion handler, by name.
    public var callers: [String]
    /// The functions with completion handlers that it calls, by name.
    public var callees: [String]
    /// Leaf, middle or root.
    public var level: Level
}

/// A closure that is called again and again.
public struct RepeatedCallback: Sendable, Codable {
    /// The file.
    public var path: String
    /// The function with the parameter, or the property.
    public var name: String
    /// The parameters of the closure.
    public var parameters: String
    /// Where it is.
    public var position: Position
}

/// A delegate's protocol, and its file.
public struct Delegate: Sendable, Codable {
    /// The file.
    public var path: String
    /// The protocol.
    public var facts: DelegateFacts
}

/// All functions with completion handlers in some files, and who calls them.
public struct Inventory: Sendable {
    /// The functions that your code calls.
    public var entries: [InventoryEntry] = []
    /// The functions that the system calls.
    public var calledBySystem: [CallbackFunction] = []
    /// Closures that are called again and again.
    public var repeated: [RepeatedCallback] = []
    /// Protocols of delegates.
    public var delegates: [Delegate] = []
    /// Other libraries with futures or streams.
    public var libraries: [LibraryUse] = []
    /// The files that could not be read or parsed.
    public var problems: [SourceFileProblem] = []
    /// The number of files that were read.
    public var fileCount = 0

    /// The numbers that a team charts.
    public var totals: Totals {
        Totals(
            functions: entries.count, wrapped: entries.count { $0.stage != .callback },
            awaited: entries.count { $0.stage == .awaited })
    }
}

/// The numbers that a team charts.
public struct Totals: Sendable, Codable, Hashable {
    /// All functions with completion handlers.
    public var functions: Int
    /// The wrapped functions, including the awaited ones.
    public var wrapped: Int
    /// The awaited functions.
    public var awaited: Int
    /// The functions that are left to wrap.
    public var left: Int { functions - wrapped }

    /// Creates the numbers.
    public init(functions: Int, wrapped: Int, awaited: Int) {
        self.functions = functions
        self.wrapped = wrapped
        self.awaited = awaited
    }
}
