import Foundation
import SwiftDiagnostics
import SwiftParserDiagnostics
import SwiftSyntax

/// What `mapSourceFiles` returns.
public struct MappedFiles<Output: Sendable>: Sendable {
    /// One for each file that could be read and parsed, in the order of the paths.
    public var outputs: [Output]
    /// The files that could not be read or parsed, in the order of the paths.
    public var problems: [SourceFileProblem]
}

/// Reads and parses files and runs a closure for each, on all cores.
///
/// A tree lives while its closure runs, so as many trees are in memory as there are cores.
///
/// - Parameters:
///   - paths: The files, as `SourceFileFinder` finds them.
///   - progress: Runs after each file with the number of files that are done, on any thread.
///   - transform: Runs once for each file, on any thread.
/// - Returns: What the closure returned, in the order of the paths, and the files that could not be read or parsed.
public func mapSourceFiles<Output: Sendable>(
    _ paths: [String], progress: (@Sendable (Int) -> Void)? = nil, _ transform: @Sendable (SourceFile) -> Output
) -> MappedFiles<Output> {
    let results = Results<Output>(count: paths.count)
    DispatchQueue.concurrentPerform(iterations: paths.count) { index in
        let result: Result<Output, SourceFileProblem>
        switch readSourceFile(paths[index]) {
        case .success(let file): result = .success(transform(file))
        case .failure(let problem): result = .failure(problem)
        }
        let done = results.set(result, at: index)
        progress?(done)
    }
    return results.mapped
}

/// Reads and parses one file.
public func readSourceFile(_ path: String) -> Result<SourceFile, SourceFileProblem> {
    let data: Data
    do {
        data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
        return .failure(
            SourceFileProblem(
                path: path, reason: "The file could not be read. Check that it exists and that you may read it."))
    }
    guard let text = String(data: data, encoding: .utf8) else {
        return .failure(
            SourceFileProblem(path: path, reason: "The file is not UTF-8. Save it as UTF-8 and run the command again."))
    }
    let file = SourceFile(path: path, text: text)
    guard file.tree.hasError else { return .success(file) }
    let errors = ParseDiagnosticsGenerator.diagnostics(for: file.tree)
        .filter { $0.diagMessage.severity == .error }
    guard let first = errors.first else { return .success(file) }
    let location = first.location(converter: file.converter)
    return .failure(
        SourceFileProblem(
            path: path,
            reason: "The file could not be parsed: line \(location.line), column \(location.column): \(first.message).")
    )
}

extension SourceFileProblem: Error {}

private final class Results<Output: Sendable>: @unchecked Sendable {
    // The lock protects both.
    private var results: [Result<Output, SourceFileProblem>?]
    private var done = 0
    private let lock = NSLock()

    init(count: Int) { results = Array(repeating: nil, count: count) }

    func set(_ result: Result<Output, SourceFileProblem>, at index: Int) -> Int {
        lock.withLock {
            results[index] = result
            done += 1
            return done
        }
    }

    var mapped: MappedFiles<Output> {
        var mapped = MappedFiles<Output>(outputs: [], problems: [])
        for result in results {
            switch result {
            case .success(let output)?: mapped.outputs.append(output)
            case .failure(let problem)?: mapped.problems.append(problem)
            case nil: break
            }
        }
        return mapped
    }
}
