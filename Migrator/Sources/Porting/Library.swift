/// A library that code comes from.
public enum Library: String, Sendable, CaseIterable {
    case promisekit
    case brightfutures
    case combine

    /// The name of the library.
    public var name: String {
        switch self {
        case .promisekit: "PromiseKit"
        case .brightfutures: "BrightFutures"
        case .combine: "Combine"
        }
    }

    /// The page of the guide with all rows.
    public var page: String { "From\(name).md" }

    /// The modules that a file of the library imports.
    public var modules: Set<String> {
        switch self {
        case .promisekit: ["PromiseKit", "PMKFoundation", "PMKUIKit", "PMKCoreLocation", "PMKAlamofire"]
        case .brightfutures: ["BrightFutures"]
        case .combine: ["Combine", "OpenCombine"]
        }
    }

    /// Whether a module is the library, or one of its extensions.
    func has(_ module: String) -> Bool { modules.contains(module) || self == .promisekit && module.hasPrefix("PMK") }

    /// The modules that take its place.
    ///
    /// Types with an error type, and all that awaits, are in the second.
    var replacement: [String] {
        switch self {
        case .promisekit, .combine: ["SimpleFutures"]
        case .brightfutures: ["SimpleFutures", "SimpleFuturesInterop"]
        }
    }
}

/// A row of a page: a call of the library, and what takes its place.
public struct Row: Sendable, Hashable {
    /// The call of the library.
    public let theirs: String
    /// The call that replaces it.
    public let ours: String

    init(_ theirs: String, _ ours: String) {
        self.theirs = theirs
        self.ours = ours
    }
}
