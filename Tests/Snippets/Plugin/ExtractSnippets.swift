import Foundation
import PackagePlugin

/// Makes sources of the Swift blocks in the package's documentation, before the target that uses this plugin is built.
@main
struct ExtractSnippets: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL
        let pages = try pages(of: root)
        let folder = context.pluginWorkDirectoryURL
        let outputs = pages.map { folder.appending(path: "\($0.lastPathComponent).swift") }
        return [
            .buildCommand(
                displayName: "Extract the documentation's snippets",
                executable: try context.tool(named: "snippet-extractor").url,
                arguments: [root.path(), folder.path()] + pages.map { $0.path() },
                inputFiles: pages,
                outputFiles: outputs + [folder.appending(path: "Examples.swift")]
            )
        ]
    }

    /// The Markdown files at the top and in the modules' documentation, and the Swift files of the tutorials.
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
