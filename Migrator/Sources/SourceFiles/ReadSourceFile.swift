import Foundation
import SwiftDiagnostics
import SwiftParserDiagnostics
import SwiftSyntax

/// Reads and parses one file.
///
/// - Parameter path: The file.
/// - Returns: The file, or why it could not be read or parsed and what to do.
public func readSourceFile(_ path: String) -> Result<SourceFile, SourceFileProblem> {
    let data: Data
    do {
        data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
        let reason = "The file could not be read. Check that it exists and that you may read it."
        return .failure(SourceFileProblem(path: path, reason: reason))
    }
    guard let text = String(data: data, encoding: .utf8) else {
        let reason = "The file is not UTF-8. Save it as UTF-8, then run the command again."
        return .failure(SourceFileProblem(path: path, reason: reason))
    }
    let file = SourceFile(path: path, text: text)
    guard file.tree.hasError, let error = firstError(in: file) else { return .success(file) }
    return .failure(SourceFileProblem(path: path, reason: error))
}

private func firstError(in file: SourceFile) -> String? {
    let errors = ParseDiagnosticsGenerator.diagnostics(for: file.tree).filter { $0.diagMessage.severity == .error }
    guard let error = errors.first else { return nil }
    let location = error.location(converter: file.converter)
    return "The file could not be parsed: line \(location.line), column \(location.column): \(error.message). "
        + "Fix it or leave the file out, then run the command again."
}
