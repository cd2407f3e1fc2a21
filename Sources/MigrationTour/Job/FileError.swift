import Foundation
import SimpleFutures

/// Why a row has an error instead of figures.
enum FileError: Error, Equatable, Sendable {
    /// A system call failed with this `errno`.
    case system(Int32)
    case empty
    case childFailed(String)
    case byteCountsDiffer(ours: Int, child: Int)
    case timedOut(after: Duration)
    case cancelled
    case unexpected(String)

    /// For systems without child processes, for which Xcode can build the tour.
    static let noChildren = FileError.childFailed("this system has no child processes")

    /// Converts the errors of the library and of the system.
    init(_ error: any Error) {
        switch error {
        case let error as FileError: self = error
        case is CancellationError: self = .cancelled
        case FuturesError.timedOut(after: let limit?, createdAt: _): self = .timedOut(after: limit)
        case let error as POSIXError: self = .system(error.code.rawValue)
        default: self = .unexpected(String(describing: error))
        }
    }
}

extension FileError: CustomStringConvertible {
    var description: String {
        switch self {
        case .system(let code): String(cString: strerror(code))
        case .empty: "empty file"
        case .childFailed(let reason): "cksum failed: \(reason)"
        case .byteCountsDiffer(let ours, let child): "read \(ours) bytes, but cksum read \(child)"
        case .timedOut(let limit): "timed out after \(limit.inSeconds)"
        case .cancelled: "canceled"
        case .unexpected(let reason): reason
        }
    }
}

extension Duration {
    /// `5 s`, `0.25 s`.
    fileprivate var inSeconds: String {
        let (seconds, attoseconds) = components
        return attoseconds == 0 ? "\(seconds) s" : "\(Double(seconds) + Double(attoseconds) / 1e18) s"
    }
}
