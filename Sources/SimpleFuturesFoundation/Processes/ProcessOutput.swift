#if os(macOS) || os(Linux)
public import Foundation

/// The status and the output of a child process.
public struct ProcessOutput: Sendable, Hashable {
    /// How a process has ended.
    public enum Termination: Sendable, Hashable {
        /// It exited with a status; 0 means success.
        case exited(Int32)
        /// A signal with this number ended it.
        case signalled(Int32)
    }

    /// The status or the signal with which it has ended.
    public let termination: Termination
    /// The data that it wrote to its standard output.
    public let standardOutput: Data
    /// The data that it wrote to its standard error.
    public let standardError: Data

    /// Creates an output, for tests of code that handles it.
    ///
    /// - Parameters:
    ///   - termination: How the process has ended.
    ///   - standardOutput: The data that it wrote to its standard output.
    ///   - standardError: The data of its standard error.
    public init(termination: Termination, standardOutput: Data = Data(), standardError: Data = Data()) {
        self.termination = termination
        self.standardOutput = standardOutput
        self.standardError = standardError
    }

    /// Whether it has exited with status 0.
    public var isSuccess: Bool { termination == .exited(0) }

    /// Its standard output as UTF-8; other bytes become U+FFFD.
    public var text: String { String(decoding: standardOutput, as: UTF8.self) }

    /// Its standard error as UTF-8; other bytes become U+FFFD.
    public var errorText: String { String(decoding: standardError, as: UTF8.self) }
}

extension ProcessOutput.Termination: CustomStringConvertible {
    /// "exited with status 1", "was ended by signal 15".
    public var description: String {
        switch self {
        case .exited(let status): "exited with status \(status)"
        case .signalled(let signal): "was ended by signal \(signal)"
        }
    }
}
#endif
