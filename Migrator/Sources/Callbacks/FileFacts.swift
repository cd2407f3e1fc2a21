public import SourceFiles

/// The facts about a file that a scan keeps after releasing its syntax tree.
public struct FileFacts: Sendable {
    /// The path.
    public var path: String
    /// The modules that it imports.
    public var modules: Set<String> = []
    /// The types of ``eventLoopTypes`` that it names.
    public var types: Set<String> = []
    /// The functions that have closures, are async, or return futures.
    public var functions: [FunctionFacts] = []
    /// The calls of all other functions, as `Client.load(id:)`: with all labels, and without those that can be left out.
    public var plainCalls: Set<String> = []
    /// The generic parameters of types, and the associated types of protocols, by the types' full names:
    /// `Cache.Entry`.
    public var generics: [String: Set<String>] = [:]
    /// Whether it declares a type `Future`.
    public var declaresFuture = false
    /// The typealiases of closures and results.
    public var aliases: [AliasFacts] = []
    /// The calls, each kind of them once for each caller.
    public var calls: Set<CallFacts> = []
    /// The names of the functions that make calls; `CallFacts.caller` is an index.
    public var callers: [Caller] = []
    /// All calls without trailing closures, as `load(id:)`, whatever they are called on.
    public var calledNames: Set<String> = []
    /// The types that it declares, and those that they inherit from, by their names without the types around them.
    public var inheritance: [String: Set<String>] = [:]
    /// The protocols whose methods report events.
    public var delegates: [DelegateFacts] = []
    /// The stored closures that are called again and again.
    public var storedCallbacks: [StoredCallback] = []

    /// Creates the facts of an empty file.
    public init(path: String) { self.path = path }
}

/// The types of SwiftNIO's futures.
public let eventLoopTypes: Set = ["EventLoopFuture", "EventLoopPromise"]

/// A function that makes calls.
public struct Caller: Sendable, Hashable {
    /// The container's name.
    public var container: String?
    /// The full name with the container's.
    public var qualifiedName: String
    /// Where it is.
    public var position: Position

    /// The base name.
    public var name: String {
        let path = qualifiedName.prefix { $0 != "(" }
        return String(path.split(separator: ".").last ?? path)
    }
}

/// A typealias.
public struct AliasFacts: Sendable {
    /// The name.
    public var name: String
    /// The type around it.
    public var container: String?
    /// The names of its generic parameters.
    public var generics: [String] = []
    /// The closure's type.
    public var closure: ClosureType?
    /// The type, as text.
    public var type: String
}

/// A call in the body of a function.
public struct CallFacts: Sendable, Hashable {
    /// The base name of the function that is called.
    public var name: String
    /// The labels of the arguments in parentheses; "_" if there is none.
    public var labels: [String] = []
    /// The labels of trailing closures; "_" for the first.
    public var trailing: [String] = []
    /// Whether it stands after `await`, or in an `async let`.
    public var isAwaited = false
    /// The bridge that it is wrapped by: it stands in the closure of `future { }`, `withCompletionHandler { }` and so on.
    public var isWrapped = false
    /// Whether it is called on `self`, or on nothing.
    public var isOnSelf = false
    /// Whether the function is not called, but passed: `future(method: load)`.
    public var isReference = false
    /// The function that makes the call, as an index of ``FileFacts/callers``.
    public var caller: Int?
}

/// A protocol whose methods report events.
public struct DelegateFacts: Sendable, Hashable, Codable {
    /// The name.
    public var name: String
    /// The full names of its methods that return nothing.
    public var events: [String]
    /// The full names of its methods that return a value.
    public var questions: [String]
    /// Where it is.
    public var position: Position
}

extension DelegateFacts {
    /// The name of the class that is drafted for a protocol: `BarometerEvents` for `BarometerDelegate`.
    public static func draftName(of name: String) -> String { sender(of: name) + "Events" }

    /// The name of a protocol without its ending: `Barometer` for `BarometerDelegate`.
    public static func sender(of name: String) -> String {
        ["Delegate", "Observer", "Listener"].reduce(name) { name, ending in
            name.hasSuffix(ending) && name != ending ? String(name.dropLast(ending.count)) : name
        }
    }
}

/// A stored closure that is called again and again.
public struct StoredCallback: Sendable, Hashable, Codable {
    /// The name, with the container's.
    public var name: String
    /// The parameters of the closure.
    public var parameters: String
    /// Where it is.
    public var position: Position
}
