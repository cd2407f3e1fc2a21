import Foundation
import SimpleFutures

/// A file descriptor that is closed when nobody has it any more.
final class Descriptor: Sendable {
    private let owned: Lock<Int32>
    /// The number; to be used as long as the descriptor is held.
    let number: Int32

    /// Takes over an open descriptor.
    init(owning number: Int32) {
        self.number = number
        owned = Lock(number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    /// Creates a second descriptor for what another one is open for, which may be closed meanwhile.
    convenience init(copying number: Int32) throws {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw POSIXError.last }
        self.init(owning: copy)
    }

    deinit { close() }

    /// Closes it early.
    func close() {
        let number = owned.exchange(-1)
        if number >= 0 { _ = Foundation.close(number) }
    }

    /// Leaves it open for good.
    func release() -> Int32 { owned.exchange(-1) }

    /// Whether it was opened for reading.
    var isReadable: Bool { fcntl(number, F_GETFL) & O_ACCMODE != O_WRONLY }

    /// Has reads and writes return at once.
    func makeNonBlocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }

    /// How many bytes the pipe holds at the most, of which this is an end.
    var pipeCapacity: Int {
        #if os(Linux) && !SIMPLEFUTURES_APPLE
        // F_GETPIPE_SZ, which the headers hide from Swift. A child may have enlarged it.
        Int(max(fcntl(number, 1032), 65_536))
        #else
        65_536
        #endif
    }

    /// What came of a read.
    enum Outcome {
        case bytes(Data)
        case end
        /// There is nothing at the moment.
        case nothing
        case failed(POSIXError)
    }

    /// Reads what there is.
    func read(upTo count: Int) -> Outcome {
        var data = Data(count: count)
        while true {
            let read = data.withUnsafeMutableBytes { Foundation.read(number, $0.baseAddress, $0.count) }
            guard read < 0 else {
                guard read > 0 else { return .end }
                data.count = read
                return .bytes(data)
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .nothing
            // The other side of a terminal is gone.
            case EIO where isatty(number) == 1: return .end
            default: return .failed(.last)
            }
        }
    }
}

/// The two ends of a pipe.
///
/// Not Foundation's `Pipe`, which on Linux ends the program when there is no descriptor left.
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
    // In one step, so that no process that another thread starts inherits them. The headers hide it from Swift.
    private static func make(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe2?(ends, O_CLOEXEC) ?? pipe(ends) }

    private static let pipe2 = dlsym(nil, "pipe2").map {
        unsafeBitCast($0, to: (@convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32).self)
    }
    #else
    // Apple's systems have no such call: between this one and `FD_CLOEXEC` a process that another thread starts inherits
    // the ends. Not one of Foundation's: its `Process` starts all with `POSIX_SPAWN_CLOEXEC_DEFAULT`, which inherit
    // nothing but what they are given. One by `fork` or a bare `posix_spawn` may, and holds the pipe open.
    private static func make(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }
    #endif
}

extension POSIXError {
    /// Why the last system call of this thread has failed.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
