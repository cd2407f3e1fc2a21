import Foundation
import PackagePlugin

/// Generates sources from the Swift code blocks of the package's documentation and from the examples in its doc
/// comments, before the target that uses this plugin is built.
///
/// The plugin generates them itself, because a separate tool would be a product of this package. The build copies them,
/// so that only changed sources are compiled again. It runs the plugin again when files were added or removed, and in
/// every build with `--disable-build-manifest-caching`.
@main
struct ExtractSnippets: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL
        let staging = context.pluginWorkDirectoryURL.appending(path: "Staged")
        try FileManager.default.createDirectory(at: staging, withIntermediateDirectories: true)
        func read(_ file: URL) throws -> (path: String, text: String) {
            (String(file.path().dropFirst(root.path().count)), try String(contentsOf: file, encoding: .utf8))
        }
        let sources = try pages(of: root).map(read).map(Source.init)
        let comments = try commented(in: root).map(read).map(Comments.init)
        sources.forEach(check)
        let lists = sources.map { "    \($0.examples),\n" }.joined()
        let checksums = sources.map { "    \"\($0.path)\": \($0.checksum),\n" }.joined()
        let index = """
            let examples: [Example] = [
            \(lists)].flatMap(\\.self)

            /// The pages when this was built.
            let checksums: [String: UInt64] = [
            \(checksums)]

            /// The number of examples in doc comments.
            let commentExamples = \(comments.map(\.blocks.count).reduce(0, +))

            """
        let files =
            sources.map { ("\($0.name).swift", $0.text) }
            + [("Examples.swift", index), ("Comments.swift", Comments.text(comments))]
        for (name, text) in files {
            let staged = staging.appending(path: name)
            if (try? String(contentsOf: staged, encoding: .utf8)) != text {
                try text.write(to: staged, atomically: true, encoding: .utf8)
            }
        }
        return files.map { name, _ in
            let staged = staging.appending(path: name)
            let output = context.pluginWorkDirectoryURL.appending(path: name)
            return .buildCommand(
                displayName: "Copy the snippets of \(name)", executable: URL(fileURLWithPath: "/bin/cp"),
                arguments: [staged.path(), output.path()], inputFiles: [staged], outputFiles: [output])
        }
    }

    private func check(_ source: Source) {
        for block in source.blocks where !block.claims.isEmpty && block.kind != .statements {
            Diagnostics.error(
                "members and manifests are not run, and cannot claim an output", file: source.path, line: block.line)
        }
    }

    /// The source files of the modules, without those of the tutorials.
    private func commented(in root: URL) throws -> [URL] {
        let sources = root.appending(path: "Sources")
        return try FileManager.default.subpathsOfDirectory(atPath: sources.path())
            .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.sorted().map { sources.appending(path: $0) }
    }

    /// The Markdown files at the top level and in the modules' documentation, and the Swift files of the tutorials.
    private func pages(of root: URL) throws -> [URL] {
        func files(_ folder: URL, _ suffix: String) throws -> [URL] {
            guard FileManager.default.fileExists(atPath: folder.path()) else { return [] }
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.lastPathComponent.hasSuffix(suffix) }
        }
        let modules = try files(root.appending(path: "Sources"), "")
        let catalogs = try modules.flatMap { try files($0, ".docc") }
        let pages =
            try files(root, ".md") + catalogs.flatMap { try files($0, ".md") }
            + catalogs.flatMap { try files($0.appending(path: "Resources"), ".swift") }
        return pages.sorted { $0.path() < $1.path() }
    }
}
