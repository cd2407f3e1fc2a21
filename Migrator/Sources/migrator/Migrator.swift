import ArgumentParser

@main struct Migrator: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrator",
        abstract: "Finds completion handlers, writes their wrappers, and finds calls that wait forever.",
        subcommands: [])
}
