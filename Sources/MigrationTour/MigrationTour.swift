import Foundation

/// Does the same job once per stage of a migration, and checks that every stage gives the same table.
@main
enum MigrationTour {
    static func main() async {
        let status: ExitStatus
        do {
            status = try await run(Options(arguments: Array(CommandLine.arguments.dropFirst())))
        } catch {
            complain(error)
            status = error is UsageError ? .usage : .fileError
        }
        exit(status.rawValue)
    }

    private static func run(_ options: Options) async throws -> ExitStatus {
        if options.wantsHelp {
            print(Options.help)
            return .success
        }
        if let followed = options.followed {
            try await Follow.run(followed, limits: options.limits)
            return .success
        }
        let files =
            options.files.isEmpty ? PackageFiles.all() : options.files.map { InputFile(name: $0, path: $0) }
        guard !files.isEmpty else { throw NoFiles() }

        let outcomes = try await runStages(on: files, limits: options.limits.withinDescriptors())
        let report = Report(rows: outcomes[0].rows)
        report.lines.forEach { print($0) }
        print()
        outcomes.forEach { print($0.timing) }
        let differences = Comparison(outcomes: outcomes).differences
        guard differences.isEmpty else {
            print("The tables differ. A file may have changed meanwhile, or needed just about --timeout.")
            differences.forEach { print($0) }
            return .tablesDiffer
        }
        print("All \(outcomes.count) tables are identical.")
        return report.errorCount == 0 ? .success : .fileError
    }

    // One after the other, so that each stage has the machine to itself. The first may find the disk's cache cold.
    private static func runStages(on files: [InputFile], limits: Limits) async throws -> [StageOutcome] {
        var outcomes: [StageOutcome] = []
        for stage in Stage.all {
            let start = ContinuousClock.now
            let rows = try await stage.rows(files, limits)
            outcomes.append(StageOutcome(title: stage.title, rows: rows, time: .now - start))
        }
        return outcomes
    }

    private static func complain(_ error: any Error) {
        let hint = error is UsageError ? "\nTry 'MigrationTour --help'." : ""
        FileHandle.standardError.write(Data("MigrationTour: \(error)\(hint)\n".utf8))
    }
}

private enum ExitStatus: Int32 {
    case success = 0
    case fileError = 1
    case tablesDiffer = 2
    /// `EX_USAGE` of sysexits.h.
    case usage = 64
}

private struct NoFiles: Error, CustomStringConvertible {
    let description = "found no .swift or .md file of the package; name the files to work on"
}

extension Limits {
    /// At most as many jobs as the process may have descriptors for: one for the file, and some for the child's pipes.
    fileprivate func withinDescriptors() -> Limits {
        let available = sysconf(Int32(_SC_OPEN_MAX))
        guard available > 0 else { return self }
        var limits = self
        limits.jobs = min(jobs, max(1, (available - 32) / 8))
        return limits
    }
}
