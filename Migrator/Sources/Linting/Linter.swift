public import SourceFiles
import SwiftSyntax

/// Runs the rules on files.
public struct Linter: Sendable {
    /// The rules to run.
    public var rules: Set<Rule>
    /// Whether the rules on futures also run in files that don't import SimpleFutures.
    ///
    /// Other libraries have types of the same names, so a file must import the module, unless another file of the
    /// module does so for all.
    public var assumesImport: Bool

    /// A linter.
    public init(rules: Set<Rule> = Rule.defaults, assumesImport: Bool = false) {
        self.rules = rules
        self.assumesImport = assumesImport
    }

    /// The findings in a file, from top to bottom.
    public func findings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        func report(_ rule: Rule, _ issues: [Issue]) {
            guard rules.contains(rule) else { return }
            for issue in issues {
                let location = file.converter.location(for: issue.position)
                let position = Position(line: location.line, column: location.column)
                findings.append(
                    Finding(
                        path: file.path, position: position, rule: rule, message: issue.message, advice: issue.advice))
            }
        }
        if file.text.contains("Continuation") {
            let issues = continuationIssues(in: file)
            report(.notResumed, issues.notResumed)
            report(.resumedTwice, issues.resumedTwice)
            if rules.contains(.notCancellable) { report(.notCancellable, cancellationIssues(in: file.tree)) }
        }
        if file.text.contains("DispatchSemaphore") || file.text.contains("DispatchGroup") {
            report(.blockingWait, blockingWaitIssues(in: file.tree))
        }
        if assumesImport || importsSimpleFutures(file.tree) {
            report(.forwardedResult, forwardedResultIssues(in: file.tree))
            report(.droppedPromise, droppedPromiseIssues(in: file.tree))
            report(.droppedToken, droppedTokenIssues(in: file.tree))
            report(.mainActorWait, mainActorWaitIssues(in: file.tree))
            report(.retryTimeout, retryTimeoutIssues(in: file.tree))
            report(.unboundedStream, unboundedStreamIssues(in: file.tree))
        }
        let suppressions = Suppressions(file)
        findings.removeAll { suppressions.cover($0.position.line) }
        report(.ignoreReason, suppressions.withoutReason)
        return findings.sorted { ($0.position, $0.rule.rawValue) < ($1.position, $1.rule.rawValue) }
    }
}

/// A finding before its file and line are known.
struct Issue: Hashable {
    var position: AbsolutePosition
    var message: String
    var advice: String
}

private func importsSimpleFutures(_ tree: SourceFileSyntax) -> Bool {
    tree.importedModules.contains { $0.hasPrefix("SimpleFutures") }
}
