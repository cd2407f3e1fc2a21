import Foundation

/// A file that could not be written; it is as it was.
public struct WriteProblem: Error, Sendable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// A description of the problem.
    public let reason: String
    /// The files that had been replaced before.
    public var replaced: [String] = []

    /// A description of the problem, and how to solve it.
    public var description: String {
        let changed = replaced.isEmpty ? "No file was changed." : "Changed before: \(replaced.joined(separator: ", "))."
        // Some reasons of Foundation end with a period.
        let reason = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        return "\(path) could not be written: \(reason). Check that you may write to it and to its folder. \(changed)"
    }
}

/// Replaces files, each of them whole or not at all.
///
/// The new texts are written beside the files first, with their permissions, and then renamed. If one of them cannot be
/// written, or is read-only, none is renamed. Symbolic links stay; the files that they point to are replaced. A byte
/// order mark stays.
///
/// - Parameter files: The paths with their new texts.
/// - Throws: A ``WriteProblem``.
public func replaceFiles(_ files: [(path: String, text: String)]) throws(WriteProblem) {
    var written: [(temporary: String, target: String)] = []
    func cleanUp() { for file in written { unlink(file.temporary) } }
    for file in files {
        let target = URL(fileURLWithPath: file.path).resolvingSymlinksInPath().path
        let mode = (try? FileManager.default.attributesOfItem(atPath: target))?[.posixPermissions] as? Int
        // A rename would replace a file that is protected, because it needs the folder's permission alone.
        if let mode, mode & 0o222 == 0 || access(target, W_OK) != 0 {
            cleanUp()
            throw WriteProblem(path: file.path, reason: "The file is read-only")
        }
        let temporary = "\(target).migrator-\(UUID().uuidString)"
        written.append((temporary, target))
        do {
            try Data(((hasMark(target) ? "\u{FEFF}" : "") + file.text).utf8).write(to: URL(fileURLWithPath: temporary))
            if let mode {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: temporary)
            }
        } catch {
            cleanUp()
            throw WriteProblem(path: file.path, reason: error.localizedDescription)
        }
    }
    for (index, file) in written.enumerated() {
        guard rename(file.temporary, file.target) == 0 else {
            let reason = String(cString: strerror(errno))
            cleanUp()
            throw WriteProblem(path: files[index].path, reason: reason, replaced: files[..<index].map(\.path))
        }
    }
}

/// Whether a file begins with a byte order mark, which its text is read without.
private func hasMark(_ path: String) -> Bool {
    FileHandle(forReadingAtPath: path)?.readData(ofLength: 3) == Data("\u{FEFF}".utf8)
}
