import Foundation
import SimpleFutures

/// The waiting pieces of a body, in order: the first ones in memory, later ones in a temporary file.
///
/// So an unread body uses a bounded amount of memory even if its transfer cannot be suspended: on Linux
/// `URLSessionTask.suspend()` has no effect on it (FoundationNetworking, Swift 6.3.1).
struct Spool: ~Copyable {
    /// The number of bytes in memory.
    static let memoryLimit = 1_048_576
    /// The largest piece to read from the file.
    private static let pieceSize = 65_536

    /// The number of bytes from which another file is begun, so that a file whose bytes are read can be deleted.
    ///
    /// It grows with the unread bytes, so that there are few files.
    private var fileSize: Int { max(1 << 22, files.reduce(0) { $0 + $1.written - $1.read } / 8) }

    private struct File {
        let descriptor: Descriptor
        var written = 0
        var read = 0
    }

    private var pieces = RingBuffer<Data>()
    private var bytesInMemory = 0
    /// Files with bytes that are not read yet, oldest first.
    private var files: [File] = []

    /// Adds a piece.
    ///
    /// - Throws: A `POSIXError` if the file cannot be written: the disk is full.
    mutating func append(_ piece: Data) throws {
        guard !piece.isEmpty else { return }
        guard !files.isEmpty || bytesInMemory + piece.count > Self.memoryLimit else {
            pieces.append(piece)
            bytesInMemory += piece.count
            return
        }
        let isFull = files.last.map { $0.written >= fileSize } ?? true
        var file = try isFull ? File(descriptor: Self.makeFile()) : files.removeLast()
        defer { if file.written > 0 { files.append(file) } }
        var (rest, end) = (piece, file.written)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { pwrite(file.descriptor.number, $0.baseAddress, $0.count, off_t(end)) }
            guard count >= 0 || errno == EINTR else { throw POSIXError.last }
            end += max(count, 0)
            rest = rest.dropFirst(max(count, 0))
        }
        file.written = end
    }

    /// Removes and returns the oldest piece; nil if none waits.
    ///
    /// - Throws: A `POSIXError` if the file cannot be read.
    mutating func popFirst() throws -> Data? {
        if let piece = pieces.popFirst() {
            bytesInMemory -= piece.count
            return piece
        }
        guard let file = files.first else { return nil }
        var piece = Data(count: min(Self.pieceSize, file.written - file.read))
        let count = piece.withUnsafeMutableBytes {
            pread(file.descriptor.number, $0.baseAddress, $0.count, off_t(file.read))
        }
        guard count > 0 else { throw count < 0 ? POSIXError.last : POSIXError(.EIO) }
        files[0].read += count
        // Deletes the file.
        if files[0].read == file.written { files.removeFirst() }
        return piece.prefix(count)
    }

    /// Creates a file without a name, which is deleted when it is closed, even after a crash.
    private static func makeFile() throws -> Descriptor {
        var path = Array((NSTemporaryDirectory() + "/SimpleFutures.XXXXXX").utf8CString)
        let number = mkstemp(&path)
        guard number >= 0 else { throw POSIXError.last }
        unlink(path)
        return Descriptor(owning: number)
    }
}
