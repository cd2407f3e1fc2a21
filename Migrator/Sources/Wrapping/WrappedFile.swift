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
    /// The functions that didn't, and why.
    public var skipped: [String] = []
    /// The names among the options that select a function or a protocol in the file.
    public var selected: Set<String> = []

    /// The change, as `diff -u` shows it.
    public var difference: String { unifiedDiff(path: path, before: oldText, after: text) }

    /// Whether there is something to write.
    public var isChanged: Bool { text != oldText }
}
