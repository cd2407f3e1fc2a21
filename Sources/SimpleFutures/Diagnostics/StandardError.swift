#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The place for reports that have no handler.
enum StandardError {
    /// Writes a line, or as much of it as fits: a report must neither hold up the program nor end it.
    ///
    /// It is dropped if the descriptor is closed, its reader is gone, or it is full. Another writer may fill it between
    /// the look and the write, and only then this waits.
    static func write(_ text: String) {
        let error = errno
        defer { errno = error }
        var line = text + "\n"
        line.withUTF8 { bytes in
            var start = 0
            while start < bytes.count {
                var state = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
                guard poll(&state, 1, 0) == 1, state.revents == Int16(POLLOUT) else { return }
                // What a pipe takes at one go if it takes anything: `PIPE_BUF`, which is at least 512.
                let size = min(bytes.count - start, 512)
                let count = withoutSIGPIPE { systemWrite(2, bytes.baseAddress.map { $0 + start }, size) }
                guard count > 0 || errno == EINTR else { return }
                start += max(count, 0)
            }
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

#if DEBUG
extension FuturesDiagnostics {
    /// Whether reports that have no handler go to standard error.
    static let printsByDefault = getenv("SIMPLEFUTURES_DIAGNOSTICS").map { String(cString: $0) } != "0"

    private static let counts = Lock<[FuturesDiagnostic: Int]>([:])

    /// Writes a report when it comes for the first time, the tenth, the hundredth, and so on.
    ///
    /// Reports are the same if kind and place are.
    static func printByDefault(_ diagnostic: FuturesDiagnostic) {
        guard printsByDefault else { return }
        let count = counts.withLock { counts in
            counts[diagnostic, default: 0] += 1
            return counts[diagnostic, default: 0]
        }
        guard count.isPowerOfTen else { return }
        let times = count == 1 ? "" : "\(count) times: "
        StandardError.write("SimpleFutures: \(times)\(diagnostic)")
    }
}

extension Int {
    fileprivate var isPowerOfTen: Bool {
        var rest = self
        while rest > 1, rest.isMultiple(of: 10) { rest /= 10 }
        return rest == 1
    }
}
#endif
