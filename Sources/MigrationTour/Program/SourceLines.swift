import Foundation

/// Counts lines of code in the tour's own sources.
enum SourceLines {
    /// The number of lines that are neither blank nor only a comment.
    ///
    /// Nil if the file isn't there, or has changed since the program was built: the number could be wrong then.
    static func count(in fileName: String) -> Int? {
        let target = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let source = target.appendingPathComponent(fileName)
        guard let program = Bundle.main.executableURL?.resolvingSymlinksInPath(),
            let built = modificationDate(of: program), let edited = modificationDate(of: source), edited <= built,
            let text = try? String(contentsOf: source, encoding: .utf8)
        else { return nil }
        return text.split(separator: "\n").count { line in
            let code = line.drop { $0 == " " }
            return !code.isEmpty && !code.hasPrefix("//")
        }
    }

    private static func modificationDate(of url: URL) -> Date? {
        try? url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
    }
}
