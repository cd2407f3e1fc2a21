import Foundation

// The API that the job is built on: functions with completion handlers. Stages 1 to 3 call it, unchanged.
//
// Every completion handler runs exactly once, as the last closure of its call, on a background thread, after the call has
// returned.

/// A call under way.
///
/// A canceled call still runs its completion handler, soon, with ``FileError/cancelled``.
struct LegacyRequest: Sendable {
    private let stop: @Sendable () -> Void

    init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

    /// Stops the call, unless it has ended.
    func cancel() { stop() }
}

/// Reads the file: `chunk` gets one chunk after the other, at most `chunkSize` bytes each, then `completion` runs.
///
/// The next chunk is read when `chunk` has returned. The file is closed on completion. A file that is missing,
/// unreadable or a directory gives the same error as in ``runChecksum(of:program:completion:)``.
@discardableResult
func readFile(
    at path: String,
    chunkSize: Int,
    chunk: @escaping @Sendable (Data) -> Void,
    completion: @escaping @Sendable ((any Error)?) -> Void
) -> LegacyRequest {
    let reader = FileReader(path: path, chunkSize: chunkSize, chunk: chunk, completion: completion)
    reader.start()
    return LegacyRequest { reader.cancel() }
}

/// Watches a file that grows: `chunk` gets its contents, then what is appended, until the call is canceled.
///
/// On cancellation, `chunk` still gets what was appended before; then `completion` runs without an error. If the
/// file becomes shorter, it is read from its beginning again.
@discardableResult
func watchFile(
    at path: String,
    chunkSize: Int,
    chunk: @escaping @Sendable (Data) -> Void,
    completion: @escaping @Sendable ((any Error)?) -> Void
) -> LegacyRequest {
    let watcher = FileWatcher(path: path, chunkSize: chunkSize, chunk: chunk, completion: completion)
    watcher.start()
    return LegacyRequest { watcher.cancel() }
}

/// Computes the file's checksum in a child process, which has ended on completion.
@discardableResult
func runChecksum(
    of path: String,
    program: String,
    completion: @escaping @Sendable (Result<Checksum, FileError>) -> Void
) -> LegacyRequest {
    #if os(macOS) || os(Linux)
    let child = ChecksumProcess(path: path, program: program)
    child.start(completion)
    return LegacyRequest { child.cancel() }
    #else
    DispatchQueue.global().async { completion(.failure(.noChildren)) }
    return LegacyRequest {}
    #endif
}
