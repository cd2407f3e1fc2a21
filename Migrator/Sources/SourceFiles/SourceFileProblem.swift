/// A file that could not be read, or whose text is not Swift.
public struct SourceFileProblem: Error, Sendable, Hashable, Codable {
    /// The file.
    public let path: String
    /// A description of the problem, and how to solve it.
    public let reason: String

    /// Creates a problem.
    public init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }
}
