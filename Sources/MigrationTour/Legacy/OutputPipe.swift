import Foundation

/// A pipe that a child process writes to.
///
/// Foundation's `Pipe` ends the program on Linux when no descriptor is left.
///
/// Sendable because the descriptors are constant and each end is closed in one place.
struct OutputPipe: @unchecked Sendable {
    let writingEnd: FileHandle
    private let readingEnd: FileHandle

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FileError.system(errno) }
        readingEnd = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        writingEnd = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
    }

    func closeWritingEnd() {
        try? writingEnd.close()
    }

    /// Returns the output of a child that has ended, and closes the reading end.
    ///
    /// It doesn't wait for the end of the file, which comes only when the child's own children have ended, too.
    func drain() -> String {
        let descriptor = readingEnd.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &buffer, buffer.count)
        try? readingEnd.close()
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }
}
