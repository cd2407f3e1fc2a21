import Foundation
import SimpleFutures

/// A file descriptor that is closed when its last reference is released.
final class Descriptor: Sendable {
    private let owned: Lock<Int32>
    /// The descriptor's number.
    ///
    /// Valid while this object is held.
    let number: Int32

    /// Takes over an open descriptor.
    init(owning number: Int32) {
        self.number = number
        owned = Lock(number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    /// Creates a duplicate of a descriptor, which stays valid when the original is closed.
    convenience init(copying number: Int32) throws {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw POSIXError.last }
        self.init(owning: copy)
    }

    deinit { close() }

    /// Closes the descriptor early.
    func close() {
        let number = owned.exchange(-1)
        if number >= 0 { _ = Foundation.close(number) }
    }

    /// Gives the descriptor up without closing it.
    func release() -> Int32 { owned.exchange(-1) }

    /// Whether it was opened for reading.
    var isReadable: Bool { fcntl(number, F_GETFL) & O_ACCMODE != O_WRONLY }

    /// Makes reads and writes return at once.
    func makeNonBlocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }

    /// The capacity of this pipe in bytes.
    var pipeCapacity: Int {
        #if os(Linux) && !SIMPLEFUTURES_APPLE
        // F_GETPIPE_SZ, which is not visible to Swift in the headers. A child may have enlarged the pipe.
        Int(max(fcntl(number, 1032), 65_536))
        #else
        65_536
        #endif
    }

    /// The result of a read.
    enum Outcome {
        case bytes(Data)
        case end
        /// Nothing is available at the moment.
        case nothing
        case failed(POSIXError)
    }

    /// The largest read in bytes.
    private static let largestRead = 1 << 24

    /// Reads the available bytes.
    func read(upTo count: Int) -> Outcome {
        // Copied, because a `Data` keeps the whole buffer, however little was read.
        withUnsafeTemporaryAllocation(byteCount: min(count, Self.largestRead), alignment: 1) { read(into: $0) }
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        while true {
            let read = Foundation.read(number, buffer.baseAddress, buffer.count)
            guard read < 0 else { return read > 0 ? .bytes(Data(bytes: buffer.baseAddress!, count: read)) : .end }
            // Saved, because `isatty` changes it.
            let error = POSIXError.last
            switch error.code {
            case .EINTR: continue
            case .EAGAIN: return .nothing
            // The other side of a terminal has closed.
            case .EIO where isatty(number) == 1: return .end
            default: return .failed(error)
            }
        }
    }
}

/// The two ends of a pipe.
///
/// Unlike Foundation's `Pipe`, which on Linux ends the program when no descriptor is left.
struct DescriptorPipe: Sendable {
    let reading: Descriptor
    let writing: Descriptor

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard Self.make(&ends) == 0 else { throw POSIXError.last }
        reading = Descriptor(owning: ends[0])
        writing = Descriptor(owning: ends[1])
    }

    #if os(Linux) && !SIMPLEFUTURES_APPLE
    // In one step, so that no process started by another thread inherits the ends. Not visible to Swift in the headers.
    private static func make(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe2?(ends, O_CLOEXEC) ?? pipe(ends) }

    private static let pipe2 = dlsym(nil, "pipe2").map {
        unsafeBitCast($0, to: (@convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32).self)
    }
    #else
    // Apple's systems have no such call: a process that another thread starts between this call and `FD_CLOEXEC`
    // inherits the ends. Foundation's `Process` does not, because it uses `POSIX_SPAWN_CLOEXEC_DEFAULT`. A process
    // started by `fork` or a bare `posix_spawn` may, and then holds the pipe open.
    private static func make(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }
    #endif
}

extension POSIXError {
    /// The error of this thread's last system call.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// The system's error message.
    var message: String { String(cString: strerror(code.rawValue)) }
}
