// The callback API that this job has always used: two functions, each with a completion block of another shape.
// No stage changes it; that is what incremental means.
//
// Every completion block runs exactly once, on a background thread, never before the call has returned.

/// A call under way.
///
/// A cancelled call still runs its completion block, soon, with ``FileError/cancelled``.
struct LegacyRequest: Sendable {
    /// Stops the call, unless it has ended.
    let cancel: @Sendable () -> Void
}

/// Counts the file's lines, words and bytes, holding `chunkSize` bytes of it at a time.
///
/// The file is closed on completion. A file that is missing, unreadable or a directory gives the same error as in
/// ``runChecksum(of:program:completion:)``.
@discardableResult
func countFile(
    at path: String,
    chunkSize: Int,
    completion: @escaping @Sendable (Counts?, (any Error)?) -> Void
) -> LegacyRequest {
    let reader = FileReader(path: path, chunkSize: chunkSize, completion: completion)
    reader.start()
    return LegacyRequest { reader.cancel() }
}

/// Has a child process compute the file's checksum.
///
/// The child has ended on completion.
@discardableResult
func runChecksum(
    of path: String,
    program: String,
    completion: @escaping @Sendable (Result<Checksum, FileError>) -> Void
) -> LegacyRequest {
    let child = ChecksumProcess(path: path, program: program, completion: completion)
    child.start()
    return LegacyRequest { child.cancel() }
}
