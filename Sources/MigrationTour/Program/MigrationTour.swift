import Foundation
import SimpleFutures

/// Does one job in each stage of a migration, and checks that all results are identical.
@main
enum MigrationTour {
    static func main() async {
        // The default context is the main queue. This program has no run loop that serves it.
        QueueContext.futuresDefault = QueueContext.global
        let status: ExitStatus
        do {
            status = try await run(Options(arguments: Array(CommandLine.arguments.dropFirst())))
        } catch let error as UsageError {
            complain("\(error)\nFor all options run 'MigrationTour --help'.")
            status = .usage
        } catch {
            complain("\(error)")
            status = .fileError
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
        let files = options.files.isEmpty ? PackageFiles.all() : options.files.map { InputFile(name: $0, path: $0) }
        guard !files.isEmpty else { throw NoFiles() }
        return try await compareStages(on: files, options)
    }

    // One stage after the other, so that each has the machine to itself.
    private static func compareStages(on files: [InputFile], _ options: Options) async throws -> ExitStatus {
        let interrupt = Interrupt()
        defer { interrupt.stop() }
        let limits = options.limits.withinDescriptors()
        var outcomes: [Outcome] = []
        show([Overview.introduction(files)])
        for stage in Stage.allCases {
            let start = ContinuousClock.now
            let rows = try await stage.rows(for: files, limits: limits, until: interrupt.token)
            let outcome = Outcome(stage: stage, rows: rows, time: .now - start)
            if interrupt.token.isCancelled {
                show((options.wantsTable ? Table(rows: rows).lines : []) + [Overview.interruption(of: outcome)])
                return .interrupted
            }
            show(Overview.lines(for: outcome))
            outcomes.append(outcome)
        }
        let comparison = Comparison(outcomes: outcomes)
        if options.wantsTable { show(Table(rows: comparison.rows).lines + [""]) }
        show(Overview.conclusion(comparison, afterTable: options.wantsTable))
        guard comparison.differences.isEmpty else { return .resultsDiffer }
        return comparison.rows.errors.isEmpty ? .success : .fileError
    }

    // Unbuffered, so that each stage shows when it ends.
    private static func show(_ lines: [String]) {
        FileHandle.standardOutput.write(Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data("MigrationTour: \(text)\n".utf8))
    }
}

private enum ExitStatus: Int32 {
    case success = 0
    case fileError = 1
    case resultsDiffer = 2
    /// `EX_USAGE` of sysexits.h.
    case usage = 64
    /// 128 and the number of SIGINT, as in shells.
    case interrupted = 130
}

private struct NoFiles: Error, CustomStringConvertible {
    let description = "found no .swift or .md files of the package. Pass the files to work on."
}
