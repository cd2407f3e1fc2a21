import Callbacks
import SourceFiles

/// The result of `wrap` for one file.
public struct WrappedFile: Sendable {
    /// The path.
    public var path: String
    /// The text as it is.
    public var oldText: String
    /// The text with the overloads.
    public var text: String
    /// The functions that got overloads or shells, by line.
    public var changes: [String] = []
    /// The functions whose overloads need a look.
    public var notes: [Skipped] = []
    /// The functions that got none, and why.
    public var skipped: [Skipped] = []
    /// The names among the options that select a function or a protocol in the file.
    public var selected: Set<String> = []

    /// The change, as `diff -u` shows it.
    public var difference: String { unifiedDiff(path: path, before: oldText, after: text) }

    /// Whether there is something to write.
    public var isChanged: Bool { text != oldText }
}

/// A function that got no overload, or one that needs a look.
public struct Skipped: Sendable, Hashable {
    /// The file, the line and the name.
    public var place: String
    /// Why, and what to do.
    public var reason: String
}

extension [Skipped] {
    /// Each reason once, by its first function, and below it all its functions.
    public var list: String {
        var places: [String: [String]] = [:]
        for function in self { places[function.reason, default: []].append(function.place) }
        let groups = compactMap { function in
            places.removeValue(forKey: function.reason).map { [function.reason] + $0.map { "  " + $0 } }
        }
        return groups.joined().map { "  " + $0 }.joined(separator: "\n")
    }
}

let errorInTuple =
    "The error is one of the values in the tuple, and the overload doesn't fail with it: check it where you call it."

extension FunctionFacts {
    /// The file, the line and the name.
    func place(in path: String) -> String { "\(path):\(position.line): \(qualifiedName)" }
}
