import ArgumentParser
import Foundation
import Porting
import SourceFiles

/// `migrator from`.
struct From: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Counts the calls of another library, and replaces each call that one call here stands for.",
        discussion: """
            Prints a count for each row of the library's page in the guide, the changes as a diff, and the calls that \
            are left with the reason. Nothing is written without --write. A file that has been rewritten in part doesn't \
            compile before the rest is: do it file by file, or look at the counts first. For Combine, pass all files of \
            a module, so that subjects of other files are found.
            """)

    @Argument(help: "The library: \(Library.allCases.map(\.rawValue).joined(separator: ", ")).")
    var library: LibraryName

    @Argument(help: "Files and folders.")
    var paths: [String]

    @Flag(help: "Writes the changes. Each file is written whole or not at all.")
    var write = false

    @Flag(help: "Prints the counts alone.")
    var countsOnly = false

    @Flag(help: "Prints a note for each call that is left, and not one for all calls of a kind in a file.")
    var allNotes = false

    @Flag(help: "Takes files that don't import the library too: another file of their module does so for all.")
    var assumeImport = false

    @Flag(help: "Looks in `.build`, `Pods`, `Carthage`, `DerivedData` and the like too.")
    var includeDependencies = false

    func run() throws {
        let porter = Porter(from: library.library, assumesImport: assumeImport)
        let found = findSourceFiles(in: paths, includesDependencies: includeDependencies)
        let count = found.paths.count
        let bar = ProgressBar(total: count * 2)
        let facts = mapSourceFiles(found.paths, progress: { bar.update($0) }) { porter.facts($0) }
        let context = PortContext(facts.outputs)
        let mapped = mapSourceFiles(found.paths, progress: { bar.update(count + $0) }) { porter.port($0, in: context) }
        bar.finish()
        let files = mapped.outputs.compactMap { $0 }
        let changed = files.filter { $0.before != $0.after }
        if !countsOnly { printDetails(files, changed) }
        print(PortReport(files).table(of: library.library))
        if write { try replaceFiles(changed.map { ($0.path, $0.after) }) }
        let problems = found.problems + mapped.problems
        for problem in problems {
            FileHandle.standardError.write(Data("\(problem.path): error: \(problem.reason)\n".utf8))
        }
        if !problems.isEmpty { throw ExitCode(1) }
    }

    private func printDetails(_ files: [PortedFile], _ changed: [PortedFile]) {
        if !write { for file in changed { print(file.diff, terminator: "") } }
        for note in files.flatMap({ $0.notes(all: allNotes) }) { print(note) }
    }
}

/// The name of a library on the command line.
struct LibraryName: ExpressibleByArgument {
    var library: Library

    init?(argument: String) {
        guard let library = Library(rawValue: argument.lowercased()) else { return nil }
        self.library = library
    }

    static var allValueStrings: [String] { Library.allCases.map(\.rawValue) }
}
