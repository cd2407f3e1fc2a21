#if os(macOS) || os(Linux)
public import Foundation
public import SimpleFutures

/// The reason why a child process has no result.
public enum ProcessError: Error, Sendable, Equatable {
    /// The program does not exist, may not be run, or cannot be started because the system lacks resources.
    case notStarted(executable: String, reason: String)
    /// The process was not successful: see `validate(statuses:cancelToken:)`.
    case failed(ProcessOutput)
    /// One of its outputs was larger than `outputLimit`, in bytes, and the process was stopped.
    case outputTooLarge(limit: Int)
}

extension ProcessError: CustomStringConvertible {
    /// The cause; for a failed process, also the end of its standard error, at most five lines.
    public var description: String {
        switch self {
        case .notStarted(let executable, let reason):
            return (executable.isEmpty ? "The process" : "The process \(executable)")
                + " could not be started: \(reason)."
        case .outputTooLarge(let limit):
            return """
                The process has written more than \(limit) bytes to one of its outputs and was stopped; raise \
                `outputLimit`, or set that output to a `Pipe` and iterate its `asyncChunks()`.
                """
        case .failed(let output):
            let end = String(decoding: output.standardError.suffix(2_000), as: UTF8.self)
            let lines = end.split(whereSeparator: \.isNewline).suffix(5).joined(separator: "\n")
            return "The process \(output.termination)" + (lines.isEmpty ? "." : ": \(lines)")
        }
    }
}

extension ProcessError: LocalizedError {
    /// The ``description``.
    public var errorDescription: String? { description }
}

extension Futurable where T == ProcessOutput {
    /// Returns a future that fails with ``ProcessError/failed(_:)`` unless the process has exited with an accepted
    /// status.
    ///
    ///     let revision = Process
    ///         .output(of: "/usr/bin/git", arguments: ["rev-parse", "HEAD"])
    ///         .validate()
    ///         .map { $0.text }
    ///
    /// - Parameters:
    ///   - statuses: The statuses that count as success.
    ///   - cancelToken: When canceled, cancels the new future.
    public func validate(
        statuses: Set<Int32> = [0], cancelToken: CancelToken = .none
    ) -> Future<ProcessOutput> {
        map(context: ImmediateContext(), cancelToken: cancelToken) { output in
            guard case .exited(let status) = output.termination, statuses.contains(status) else {
                throw ProcessError.failed(output)
            }
            return output
        }
    }
}
#endif
