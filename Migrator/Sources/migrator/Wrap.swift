import ArgumentParser
import Callbacks
import SourceFiles
import Wrapping

struct Wrap: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes an overload that returns a future for each function with a completion handler.",
        discussion: """
            The overload stands after the function and has its name, labels, access level, generics, \
            `@available` and global actor, if the actor's name ends with `Actor`. \
            Without `--write` the changes are shown and no file is touched. Running it twice changes nothing.

            Pass all files of a module, so that typealiases and overloads in other files are found; `--only` selects \
            functions. Functions that it leaves alone are named with the reason.

            Examples:
              migrator wrap Sources/Client.swift                        shows the changes
              migrator wrap Sources --only load --async --write         writes overloads of `load`, the async one too
              migrator wrap Sources --callback --write                  for functions that are async now: the old
                                                                        overloads call the async one
              migrator wrap Sources --delegates --only BarometerDelegate --write
            """)

    @Argument(help: "The files and folders to wrap.")
    var files: [String]

    @Flag(help: "Write the changes. Each file is replaced whole, or stays as it is.")
    var write = false

    @Flag(name: .customLong("async"), help: "Write the async overload too.")
    var isAsync = false

    @Flag(help: "If there is an async implementation, let the function with the completion handler call it.")
    var callback = false

    @Flag(help: "Draft a class with a stream for each protocol of a delegate.")
    var delegates = false

    @Option(help: "The name of a function to wrap, as `load` or `load(id:completion:)`. May be repeated.")
    var only: [String] = []

    @Flag(help: "Look in .build, Pods, Carthage, DerivedData and the like too.")
    var includeDependencies = false

    func run() throws {
        let found = findSourceFiles(in: files, includesDependencies: includeDependencies)
        let bar = ProgressBar(total: found.paths.count * 2)
        let facts = mapSourceFiles(found.paths, progress: { bar.update($0) }) { FileFacts($0) }
        let context = WrapContext(facts.outputs)
        let options = WrapOptions(async: isAsync, callback: callback, delegates: delegates, only: Set(only))
        let done = found.paths.count
        let mapped = mapSourceFiles(found.paths, progress: { bar.update(done + $0) }) {
            wrap($0, in: context, options: options)
        }
        bar.finish()
        let changed = mapped.outputs.filter(\.isChanged)
        if write {
            try replaceFiles(changed.map { ($0.path, $0.text) })
            for change in changed.flatMap(\.changes) { print(change) }
        } else {
            for file in changed { print(file.difference, terminator: "") }
        }
        let skipped = mapped.outputs.flatMap(\.skipped)
        let notes = changed.flatMap(\.notes)
        if !notes.isEmpty { printError("\nTo check:\n" + notes.list) }
        if !skipped.isEmpty { printError("\nNot wrapped:\n" + skipped.list) }
        printError(summary(changed))
        let unknown = Set(only).subtracting(mapped.outputs.flatMap(\.selected)).sorted()
        for name in unknown { printError("`--only \(name)` selects nothing in the given paths. \(advice)") }
        if report(found.problems + mapped.problems) || !unknown.isEmpty { throw ExitCode.failure }
    }

    private var advice: String {
        "Give the name of a function with a completion handler, as `load` or `load(id:completion:)`"
            + (delegates ? ", or of a delegate protocol." : ".")
    }

    private func summary(_ changed: [WrappedFile]) -> String {
        let count = changed.map(\.changes.count).reduce(0, +)
        guard count > 0 else { return "\nNothing to write." }
        let changes =
            "\(count) \(count == 1 ? "change" : "changes") in \(changed.count) \(changed.count == 1 ? "file" : "files")"
        return write ? "\nWrote \(changes)." : "\n\(changes). To write them, run this command again with `--write`."
    }
}
