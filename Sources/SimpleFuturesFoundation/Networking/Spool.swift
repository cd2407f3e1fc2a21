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

    private var pieces = RingBuffer<Data>()
    private var bytesInMemory = 0
    private var file: Descriptor?
    private var written = 0
    private var read = 0

    /// Adds a piece.
    ///
    /// - Throws: A `POSIXError` if the file cannot be written: the disk is full.
    mutating func append(_ piece: Data) throws {
        guard read < written || bytesInMemory + piece.count > Self.memoryLimit else {
            pieces.append(piece)
            bytesInMemory += piece.count
            return
        }
        let file = try file ?? Self.makeFile()
        self.file = file
        var (rest, end) = (piece, written)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, off_t(end)) }
            guard count >= 0 || errno == EINTR else { throw POSIXError.last }
            end += max(count, 0)
            rest = rest.dropFirst(max(count, 0))
        }
        written = end
    }

    /// Removes and returns the oldest piece; nil if none waits.
    ///
    /// - Throws: A `POSIXError` if the file cannot be read.
    mutating func popFirst() throws -> Data? {
        if let piece = pieces.popFirst() {
            bytesInMemory -= piece.count
            return piece
        }
        guard let file, read < written else { return nil }
        var piece = Data(count: min(Self.pieceSize, written - read))
        let count = piece.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, $0.count, off_t(read)) }
        guard count > 0 else { throw count < 0 ? POSIXError.last : POSIXError(.EIO) }
        read += count
        if read == written {
            // The file is empty: free its disk space.
            (read, written) = (0, 0)
            _ = ftruncate(file.number, 0)
        }
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
