import Foundation
import SimpleFuturesFoundation

// The async overloads that the API gets in the end. Stage 4 calls them.

/// Reads the file: each chunk is read when the loop asks for it.
func readFile(at path: String, chunkSize: Int) throws -> FileChunks {
    let file = FileHandle(fileDescriptor: try openForReading(path), closeOnDealloc: true)
    return file.asyncChunks(chunkSize: chunkSize)
}

/// Computes the file's checksum in a child process, which has ended when this returns or throws.
func runChecksum(of path: String, program: String) async throws -> Checksum {
    #if os(macOS) || os(Linux)
    let child = ChecksumProcess(path: path, program: program)
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in child.start { continuation.resume(with: $0) } }
    } onCancel: {
        child.cancel()
    }
    #else
    throw FileError.noChildren
    #endif
}
