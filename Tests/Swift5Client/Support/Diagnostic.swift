import Foundation

/// A diagnostic of the compiler for a line, with its fix-its.
struct Diagnostic: CustomStringConvertible {
    /// A fix-it: the columns to replace in a line.
    ///
    /// Lines and columns are counted from 0.
    struct FixIt: Hashable {
        let line: Int
        let columns: Range<Int>
        let text: String
    }

    /// `error`, `warning`, or `note`.
    let severity: String
    let file: String
    /// Counted from 1.
    let line: Int
    let message: String
    private var fixIts: [FixIt] = []
    private var notes: [Diagnostic] = []

    /// The fix-its that an editor applies: the diagnostic's own, or those of the first note that has any.
    var remedy: [FixIt] {
        fixIts.isEmpty ? notes.first { !$0.fixIts.isEmpty }?.fixIts ?? [] : fixIts
    }

    var description: String { "\(file):\(line): \(severity): \(message)" }

    private init(severity: String, file: String, line: Int, message: String) {
        (self.severity, self.file, self.line, self.message) = (severity, file, line, message)
    }
}

extension Diagnostic {
    /// Parses the compiler's output with `-diagnostic-style llvm`: for each diagnostic its message, the source line,
    /// marks below that line, and below these the texts of the fix-its.
    static func read(from output: String) -> [Diagnostic] {
        let lines = output.components(separatedBy: "\n")
        var all: [Diagnostic] = []
        for (index, line) in lines.enumerated() {
            guard var diagnostic = header(line) else { continue }
            let below = lines[(index + 1)...].prefix { header($0) == nil }
            if below.count > 2 {
                let (marks, texts) = (Array(below[index + 2]), Array(below[index + 3]))
                diagnostic.fixIts = fixIts(line: diagnostic.line - 1, marks, texts)
            }
            if diagnostic.severity == "note", !all.isEmpty {
                all[all.count - 1].notes.append(diagnostic)
            } else {
                all.append(diagnostic)
            }
        }
        return all
    }

    private static func header(_ line: String) -> Diagnostic? {
        guard let match = line.firstMatch(of: #/^(.+\.swift):(\d+):\d+: (error|warning|note): (.*)$/#) else {
            return nil
        }
        return Diagnostic(
            severity: String(match.3), file: String(match.1), line: Int(match.2) ?? 0, message: String(match.4))
    }

    private static func fixIts(line: Int, _ marks: [Character], _ texts: [Character]) -> [FixIt] {
        var fixIts: [FixIt] = []
        var column = 0
        while let start = texts[column...].firstIndex(where: { $0 != " " }) {
            column = texts[start...].firstIndex(of: " ") ?? texts.count
            let text = String(texts[start..<column])
            // The text to replace is underlined; for a missing label there is a space after the mark.
            let end = marks[min(start, marks.count)...].firstIndex { $0 != "~" && $0 != "^" } ?? max(start, marks.count)
            fixIts.append(FixIt(line: line, columns: start..<end, text: end == start ? text + " " : text))
        }
        return fixIts
    }
}

extension String {
    /// Returns the text with the fix-its applied, each once.
    func applying(_ fixIts: [Diagnostic.FixIt]) -> String {
        var lines = components(separatedBy: "\n").map(Array.init)
        for fixIt in Set(fixIts).sorted(by: { $0.columns.lowerBound > $1.columns.lowerBound }) {
            lines[fixIt.line].replaceSubrange(fixIt.columns, with: Array(fixIt.text))
        }
        return lines.map { String($0) }.joined(separator: "\n")
    }
}
