import Foundation

/// Counts lines of code in the tour's own sources.
enum SourceLines {
    /// The number of lines that are neither blank nor only a comment, in the file as it is now.
    ///
    /// Nil if the program runs where its sources aren't.
    static func count(in fileName: String) -> Int? {
        let target = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let source = target.appendingPathComponent(fileName)
        guard let text = try? String(contentsOfFile: source.path, encoding: .utf8) else { return nil }
        return text.split(separator: "\n").count { line in
            let code = line.drop { $0 == " " }
            return !code.isEmpty && !code.hasPrefix("//")
        }
    }
}
