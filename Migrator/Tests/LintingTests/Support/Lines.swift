import Linting
import SourceFiles

/// The lines on which a rule finds something.
func lines(of rule: Rule, in text: String, assumesImport: Bool = false) -> [Int] {
    findings(of: rule, in: text, assumesImport: assumesImport).map(\.position.line)
}

/// The findings of a rule, and its reports on comments that suppress it.
func findings(of rule: Rule, in text: String, assumesImport: Bool = false) -> [Finding] {
    Linter(rules: [rule, .ignoreReason], assumesImport: assumesImport)
        .findings(in: SourceFile(path: "File.swift", text: text))
}

/// A continuation with a body, whose first line is line 3.
func continuation(_ body: String) -> String {
    """
    func load() async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
    \(body)
        }
    }
    """
}
