import ArgumentParser
import Foundation
import Scanning
import SourceFiles

struct Scan: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the functions with completion handlers, and counts the wrapped and the awaited ones.",
        discussion: """
            For each function: its line, its name, the shape of its completion handler with the error's type if it is a \
            certain one, how `future` calls it, whether it is wrapped or awaited, whether it is a leaf (calls no other \
            function with a completion handler), in the middle or a root, and how many functions call it.

            A function is wrapped if its type has an overload that returns a future or is async, or if `future { … }` \
            calls it. It is awaited if such a call stands after `await`, and can't be one of another type's async \
            function. Callers are found by name and labels.

            Examples:
              migrator scan Sources
              migrator scan Sources --json > callbacks.json
              migrator scan Sources --baseline callbacks-left.json          fails if there are more than before
              migrator scan Sources --baseline callbacks-left.json --write  writes the numbers of today
            """)

    @Argument(help: "The files and folders to scan.")
    var paths: [String]

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    @Flag(help: "Print only the line of progress: \"213 of 1,510 wrapped, 87 awaited\".")
    var progress = false

    @Flag(help: "Name the callers of each function.")
    var callers = false

    @Option(
        help: "A file with the numbers of an earlier scan. The exit status is 1 if more functions are left to wrap.")
    var baseline: String?

    @Flag(help: "Write today's numbers to the file of `--baseline`.")
    var write = false

    @Flag(help: "Look in .build, Pods, Carthage, DerivedData and the like too.")
    var includeDependencies = false

    func validate() throws {
        if write, baseline == nil { throw ValidationError("`--write` needs `--baseline FILE`, which it writes.") }
    }

    func run() throws {
        let found = findSourceFiles(in: paths, includesDependencies: includeDependencies)
        let bar = ProgressBar(total: found.paths.count)
        var inventory = scan(found.paths) { bar.update($0) }
        bar.finish()
        inventory.problems = found.problems + inventory.problems
        try printInventory(inventory)
        var fails = report(inventory.problems)
        if let baseline { fails = try compare(inventory.totals, with: baseline) || fails }
        if fails { throw ExitCode.failure }
    }

    private func printInventory(_ inventory: Inventory) throws {
        if json {
            print(String(decoding: try inventory.json(), as: UTF8.self))
        } else if progress {
            print(inventory.progressLine)
        } else {
            print(inventory.table(width: terminalWidth ?? .max, showsCallers: callers), terminator: "")
        }
    }

    private func compare(_ totals: Totals, with path: String) throws -> Bool {
        if write {
            try replaceFiles([(path, Baseline(totals).text)])
            printError("\(path) now allows \(totals.left) functions that are left to wrap.")
            return false
        }
        let baseline: Baseline
        do {
            baseline = try Baseline(Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            let reason = FileManager.default.fileExists(atPath: path) ? "is no baseline" : "doesn't exist"
            printError("\(path) \(reason). To write a baseline, run this command again with `--write`.")
            return true
        }
        let comparison = baseline.comparison(with: totals, file: path)
        printError(comparison.text)
        return comparison.hasRisen
    }
}
