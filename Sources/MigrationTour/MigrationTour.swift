import Foundation
import SimpleFutures
import SimpleFuturesInterop

/// Does the same job once per stage of a migration, and checks that every stage gives the same table.
@main
enum MigrationTour {
    static func main() async {
        // The default is the main queue. That suits an app; a command-line tool serves it only while `main` is
        // suspended.
        QueueContext.futuresDefault = QueueContext.global
        let status: ExitStatus
        do {
            status = try await run(Options(arguments: Array(CommandLine.arguments.dropFirst())))
        } catch let error as UsageError {
            complain("\(error)\nTry 'MigrationTour --help'.")
            status = .usage
        } catch is CancellationError {
            complain("interrupted")
            status = .interrupted
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
        let files =
            options.files.isEmpty ? PackageFiles.all() : options.files.map { InputFile(name: $0, path: $0) }
        guard !files.isEmpty else { throw NoFiles() }
        if let seed = options.seed { print("--mix \(seed): \(Stages(seed: seed))\n") }
        let comparison = Comparison(outcomes: try await perform(options.runs, on: files))
        comparison.lines.forEach { print($0) }
        guard comparison.differences.isEmpty else { return .tablesDiffer }
        return comparison.report.errorCount == 0 ? .success : .fileError
    }

    // One after the other, so that each has the machine to itself. The first may find the disk's cache cold.
    private static func perform(_ runs: [Run], on files: [InputFile]) async throws -> [Outcome] {
        let interrupt = Interrupt()
        defer { interrupt.stop() }
        var outcomes: [Outcome] = []
        for run in runs {
            let start = ContinuousClock.now
            let rows = try await interrupt.token.run { await run.job.rows(for: files) }
            if interrupt.token.isCancelled {
                Report(rows: rows).lines.forEach { print($0) }
                throw CancellationError()
            }
            outcomes.append(Outcome(title: run.title, rows: rows, time: .now - start))
        }
        return outcomes
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data("MigrationTour: \(text)\n".utf8))
    }
}

private enum ExitStatus: Int32 {
    case success = 0
    case fileError = 1
    case tablesDiffer = 2
    /// `EX_USAGE` of sysexits.h.
    case usage = 64
    /// 128 and the number of SIGINT, as in shells.
    case interrupted = 130
}

private struct NoFiles: Error, CustomStringConvertible {
    let description = "found no .swift or .md file of the package; name the files to work on"
}
