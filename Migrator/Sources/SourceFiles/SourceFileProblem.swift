/// A file that could not be read, or whose text is not Swift.
public struct SourceFileProblem: Sendable, Hashable {
    /// The file.
    public let path: String
    /// What happened, and what to do.
    public let reason: String

    /// A problem.
    public init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }
}
