#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Writes reports to standard error when no handler is set.
enum StandardError {
    /// Writes a line, or as much of it as fits: a report must neither block nor end the program.
    ///
    /// The line is dropped if the descriptor is closed or full, or its reader is gone. The write can block only if
    /// another writer fills the descriptor between the check and the write.
    static func write(_ text: String) {
        let error = errno
        defer { errno = error }
        var line = text + "\n"
        line.withUTF8 { bytes in
            var start = 0
            while start < bytes.count {
                guard isReady else { return }
                // `PIPE_BUF` is at least 512: a pipe that is ready accepts that much at once.
                let size = min(bytes.count - start, 512)
                let count = withoutSIGPIPE(on: 2) { systemWrite(2, bytes.baseAddress.map { $0 + start }, size) }
                guard count > 0 || errno == EINTR else { return }
                start += max(count, 0)
            }
        }
    }

    /// Whether the descriptor accepts bytes now.
    private static var isReady: Bool {
        var state = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        guard poll(&state, 1, 0) == 1 else { return false }
        guard state.revents == Int16(POLLNVAL) else { return state.revents == Int16(POLLOUT) }
        // It is closed, or a terminal: on Apple's systems `poll` supports no devices, but `select` does.
        var (set, now) = (fd_set(), timeval())
        withUnsafeMutableBytes(of: &set) { $0[0] = 1 << 2 }
        return select(3, nil, &set, nil, &now) == 1
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

    /// Prints a report the first time, the tenth time, the hundredth time, and so on.
    ///
    /// Reports are equal if their kind and place are.
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
