import Foundation

/// The result of `findSourceFiles`.
public struct FoundFiles: Sendable {
    /// The files, sorted, each once.
    public var paths: [String]
    /// Given paths that don't exist, and folders that could not be read.
    public var problems: [SourceFileProblem]
}

/// Folders with code of others, or that tools write.
private let skippedFolders: Set = [
    ".build", ".git", ".swiftpm", "Pods", "Carthage", "DerivedData", "SourcePackages", "node_modules",
]

/// Finds the Swift files in files and folders.
///
/// A given path may be a symbolic link. Links inside of given folders are not followed: what they point to is found
/// where it is, or is outside.
///
/// - Parameters:
///   - paths: Files and folders. A file that is named here is taken whatever its extension is.
///   - includesDependencies: Whether to look in `.build`, `Pods`, `Carthage`, `DerivedData` and the like too.
/// - Returns: The files, and what could not be read.
public func findSourceFiles(in paths: [String], includesDependencies: Bool = false) -> FoundFiles {
    var finder = Finder(includesDependencies: includesDependencies)
    for path in paths { finder.addGiven(path) }
    return FoundFiles(paths: finder.found.sorted(), problems: finder.problems)
}

private struct Finder {
    let includesDependencies: Bool
    var found: Set<String> = []
    var problems: [SourceFileProblem] = []

    mutating func addGiven(_ path: String) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            problems.append(SourceFileProblem(path: path, reason: "There is no such file. Check the path."))
            return
        }
        var trimmed = path
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        if isFolder.boolValue { addFolder(trimmed) } else { found.insert(trimmed) }
    }

    private mutating func addFolder(_ path: String) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            let reason = "The folder could not be read. Check that you may read it."
            problems.append(SourceFileProblem(path: path, reason: reason))
            return
        }
        for name in names.sorted() {
            let child = path == "." ? name : path == "/" ? "/" + name : path + "/" + name
            switch kind(of: child) {
            case .file where name.hasSuffix(".swift"): found.insert(child)
            case .folder where includesDependencies || !skippedFolders.contains(name): addFolder(child)
            default: break
            }
        }
    }

    private enum Kind { case file, folder, other }

    /// Does not follow symbolic links.
    private func kind(of path: String) -> Kind {
        var status = stat()
        guard lstat(path, &status) == 0 else { return .other }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: return .other
        }
    }
}
