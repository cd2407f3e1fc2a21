import Foundation

extension FileError {
    /// Why the file can't be read: it is missing, a directory or forbidden; nil if it can.
    ///
    /// Doesn't open the file, so the writer of a named pipe doesn't notice.
    static func whyUnreadable(_ path: String) -> FileError? {
        var info = stat()
        if stat(path, &info) != 0 || access(path, R_OK) != 0 { return .system(errno) }
        return info.st_mode & S_IFMT == S_IFDIR ? .system(EISDIR) : nil
    }
}

/// Opens a file, unless it is a directory.
///
/// The caller closes the descriptor.
func openForReading(_ path: String) throws(FileError) -> Int32 {
    if let failure = FileError.whyUnreadable(path) { throw failure }
    // Without O_NONBLOCK, opening a named pipe that has no writer would block this thread forever.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(errno) }
    return descriptor
}
