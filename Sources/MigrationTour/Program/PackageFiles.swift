import Foundation

/// The default files: the package's own .swift and .md files, sorted by name.
enum PackageFiles {
    static func all() -> [InputFile] {
        guard let root = root(),
            let contents = FileManager.default.enumerator(
                at: root,
                includingPropertiesForKeys: [.isRegularFileKey],
                options: .skipsHiddenFiles
            )
        else { return [] }
        let prefix = root.standardizedFileURL.path + "/"
        return
            contents
            .compactMap { $0 as? URL }
            .filter { ["swift", "md"].contains($0.pathExtension) }
            .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
            .map { InputFile(name: String($0.standardizedFileURL.path.dropFirst(prefix.count)), path: $0.path) }
            .sorted { $0.name < $1.name }
    }

    /// The directory of this package, or else of the package around the current directory.
    private static func root() -> URL? {
        let starts = [
            URL(fileURLWithPath: #filePath).deletingLastPathComponent(),
            URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true),
        ]
        return starts.lazy.compactMap(packageDirectory).first
    }

    private static func packageDirectory(above start: URL) -> URL? {
        var directory = start.standardizedFileURL
        while true {
            if FileManager.default.fileExists(atPath: directory.appendingPathComponent("Package.swift").path) {
                return directory
            }
            guard directory.path != "/" else { return nil }
            directory.deleteLastPathComponent()
        }
    }
}
