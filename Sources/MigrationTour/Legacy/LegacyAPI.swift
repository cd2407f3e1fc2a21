import Foundation

// The callback API that this job has always used: functions with completion handlers of several shapes, some with a completion handler
// besides that is called again and again. No stage changes it; that is what incremental means.
//
// Every completion handler runs exactly once, as the last one of its call, on a background thread, never before the call
// has returned.

/// A call under way.
///
/// A canceled call still runs its completion handler, soon, with ``FileError/cancelled``.
struct LegacyRequest: Sendable {
    /// Stops the call, unless it has ended.
    let cancel: @Sendable () -> Void
}

/// Reads the file: `chunk` gets one piece after the other, at most `chunkSize` bytes, then `completion` runs.
///
/// The next piece is read when `chunk` has returned. The file is closed on completion. A file that is missing,
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

/// Watches a file that grows: `chunk` gets what is there, then what is appended, until the call is canceled.
///
/// On cancellation, what has been appended by then is still delivered; then `completion` runs, without an error. If the
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
    let counting = FileCounting()
    return readFile(at: path, chunkSize: chunkSize, chunk: counting.add) { error in
        if let error { completion(nil, error) } else { completion(counting.counts, nil) }
    }
}

/// Counts what `readFile` reads.
///
/// Sendable because a reader calls its blocks one at a time.
private final class FileCounting: @unchecked Sendable {
    private var counter = Counter()

    var counts: Counts { counter.counts }

    @Sendable func add(_ chunk: Data) { counter.add(chunk) }
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
    #if os(macOS) || os(Linux)
    let child = ChecksumProcess(path: path, program: program, completion: completion)
    child.start()
    return LegacyRequest { child.cancel() }
    #else
    DispatchQueue.global().async { completion(.failure(.noChildren)) }
    return LegacyRequest {}
    #endif
}
