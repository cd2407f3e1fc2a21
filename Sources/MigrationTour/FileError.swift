import Foundation

/// Why a row has an error instead of figures.
enum FileError: Error, Equatable, Sendable {
    /// A call of the system failed with this `errno`.
    case system(Int32)
    case empty
    case childFailed(String)
    case byteCountsDiffer(ours: Int, child: Int)
    case timedOut(after: Duration)
    case cancelled
    case unexpected(String)

    /// Where Xcode builds the package for a device: the tour compiles there, and says this.
    static let noChildren = FileError.childFailed("this system has no child processes")

    /// An error of this type as it is; any other one by its description.
    init(_ error: any Error) {
        switch error {
        case let error as FileError: self = error
        case is CancellationError: self = .cancelled
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
        case .cancelled: "cancelled"
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
