import ArgumentParser

@main struct Migrator: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrator",
        abstract: "Finds completion handlers and calls that hang, and writes overloads for SimpleFutures.",
        discussion: """
            Begin with `migrator scan Sources`. Nothing is written without `--write`.
            Files that could not be read or parsed are named at the end, and the exit status is 1.
            """,
        subcommands: [Scan.self, Wrap.self, Lint.self, From.self])
}
