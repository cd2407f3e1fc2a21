import Foundation

extension FileError {
    /// Why the file cannot be read: it is missing, a directory or forbidden; nil if it can.
    ///
    /// Opens nothing, so a named pipe does not notice.
    static func whyUnreadable(_ path: String) -> FileError? {
        var info = stat()
        if stat(path, &info) != 0 || access(path, R_OK) != 0 { return .system(errno) }
        return info.st_mode & S_IFMT == S_IFDIR ? .system(EISDIR) : nil
    }
}
