import ArgumentParser
import Foundation
import Linting
import SourceFiles

/// `migrator lint`.
struct Lint: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Finds continuations that hang or crash, threads that wait, and futures that never answer.",
        discussion: """
            Findings are printed in the compiler's format, so that Xcode and editors show them. Each has a note that \
            says what to write. To suppress one, write a comment with a reason on its line or the line before:

                // migrator:ignore the delegate resumes it

            Rules:
            \(Rule.allCases.map { "  \($0.rawValue): \($0.summary)\($0.runsByDefault ? "" : " (off by default)")" }
                .joined(separator: "\n"))
            """)

    @Argument(help: "Files and folders.")
    var paths: [String]

    @Option(name: .customLong("rule"), help: "Runs this rule and no other. Can be given several times.")
    var only: [RuleName] = []

    @Option(name: .customLong("also"), help: "Runs this rule too, if it is off by default.")
    var also: [RuleName] = []

    @Option(name: .customLong("without"), help: "Doesn't run this rule.")
    var without: [RuleName] = []

    @Flag(help: "Exits with status 1 if there are findings.")
    var strict = false

    @Flag(help: "Runs the rules on futures also in files that don't import SimpleFutures.")
    var assumeImport = false

    @Flag(help: "Looks in `.build`, `Pods`, `Carthage`, `DerivedData` and the like too.")
    var includeDependencies = false

    func run() throws {
        var rules = only.isEmpty ? Rule.defaults : Set(only.map(\.rule))
        rules.formUnion(also.map(\.rule) + [.ignoreReason])
        rules.subtract(without.map(\.rule))
        let linter = Linter(rules: rules, assumesImport: assumeImport)
        let found = findSourceFiles(in: paths, includesDependencies: includeDependencies)
        let bar = ProgressBar(total: found.paths.count)
        let mapped = mapSourceFiles(found.paths, progress: { bar.update($0) }) { linter.findings(in: $0) }
        bar.finish()
        let findings = mapped.outputs.flatMap { $0 }
        for finding in findings { print(finding.diagnostic) }
        let problems = found.problems + mapped.problems
        for problem in problems {
            FileHandle.standardError.write(Data("\(problem.path): error: \(problem.reason)\n".utf8))
        }
        if !problems.isEmpty || strict && !findings.isEmpty { throw ExitCode(1) }
    }
}

/// The name of a rule on the command line.
struct RuleName: ExpressibleByArgument {
    var rule: Rule

    init?(argument: String) {
        guard let rule = Rule(rawValue: argument) else { return nil }
        self.rule = rule
    }

    static var allValueStrings: [String] { Rule.allCases.map(\.rawValue) }
}
