import Foundation
import SimpleFutures

/// The pieces of a body that wait, in their order: some of them in memory, what comes after those in a temporary file.
///
/// A body that is not read needs a bounded memory, also where a transfer cannot be suspended: on Linux
/// `URLSessionTask.suspend()` does nothing for it (FoundationNetworking, Swift 6.3.1).
struct Spool: ~Copyable {
    /// How many bytes are kept in memory.
    static let memoryLimit = 1_048_576
    /// What is read from the file in one piece.
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

    /// Takes what has come first; nil if nothing waits.
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
            // It is empty: give its room on the disk back.
            (read, written) = (0, 0)
            _ = ftruncate(file.number, 0)
        }
        return piece.prefix(count)
    }

    /// A file without a name: it is gone when it is closed, also if the program crashes.
    private static func makeFile() throws -> Descriptor {
        var path = Array((NSTemporaryDirectory() + "/SimpleFutures.XXXXXX").utf8CString)
        let number = mkstemp(&path)
        guard number >= 0 else { throw POSIXError.last }
        unlink(path)
        return Descriptor(owning: number)
    }
}
