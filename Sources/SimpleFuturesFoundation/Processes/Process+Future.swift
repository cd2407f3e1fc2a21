#if os(macOS) || os(Linux)
public import Foundation
public import SimpleFutures
public import SimpleFuturesInterop

extension Process {
    /// Starts the process, and returns a future of its output, completed when it has ended.
    ///
    ///     let process = Process()
    ///     process.executableURL = URL(fileURLWithPath: "/usr/bin/sort")
    ///     process.arguments = ["-u"]
    ///     let sorted = process
    ///         .output(input: Data("b\na\n".utf8), timeout: .seconds(10), cancelToken: token)
    ///         .validate()
    ///     let text = try await sorted.value(cancelling: token).text
    ///
    /// Call it once, instead of `run()`. Both outputs are read continuously, so that a child never waits for room; they
    /// are held in memory, up to an optional limit. An output that you have set to a `Pipe` or a `FileHandle` remains
    /// yours, and is empty in the result: if an output is too large for memory, iterate `Pipe.asyncChunks(chunkSize:)`.
    /// The writing end of such a pipe is closed even if the process is not started: the loop ends, and another attempt
    /// needs a new pipe. `FileHandle.standardOutput` and `FileHandle.standardError` are the defaults and count as not
    /// set; `FileHandle(fileDescriptor: 1)` lets the child write to the parent's standard output. The future is
    /// completed when the child itself has ended: its own output is complete, but later output of its children is not
    /// waited for, and ends them with SIGPIPE unless it goes elsewhere. A status other than 0 is not a failure: see
    /// `validate(statuses:cancelToken:)`. A `terminationHandler` that you have set is called: set it before this call,
    /// not later. But Foundation posts no `Process.didTerminateNotification`. On Linux `isRunning` may stay true for a
    /// while after the completion: check the output, not the process.
    ///
    /// A stopped child gets SIGTERM, and, if it continues, SIGKILL after the grace period. If it leads a process group,
    /// its own children get them too. A child that is stopped before its start is not started: a future that waits for
    /// it fails with `CancellationError`. Releasing the future does not stop the child.
    ///
    /// - Parameters:
    ///   - input: The data for the child's standard input, followed by the end of the file. The child need not read it.
    ///     Nil leaves `standardInput` unchanged: by default, the parent's.
    ///   - timeout: When to stop the child. The future then fails with `FuturesError.timedOut`, as soon as the child
    ///     has ended.
    ///   - gracePeriod: The time that a stopped child has to clean up.
    ///   - outputLimit: The largest size of each output in bytes. A child that writes more is stopped, and the future
    ///     fails with ``ProcessError/outputTooLarge(limit:)``.
    ///   - cancelToken: Stops the child.
    ///   - response: Whether a cancellation cancels the future at once, or the future waits for the end of the child
    ///     and gets its output, with the signal: use that for children that must have ended before other work begins.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    /// - Returns: A future of the output. It fails with ``ProcessError/notStarted(executable:reason:)`` if, for
    ///   example, there is no such program.
    public func output(
        input: Data? = nil, timeout: Duration? = nil, gracePeriod: Duration = .seconds(2),
        outputLimit: Int = .max, cancelToken: CancelToken = .none,
        onCancel response: TaskCancellationResponse = .abandon,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<ProcessOutput> {
        require(
            outputLimit >= 0,
            "`Process.output` was given the output limit \(outputLimit). Pass 0 or more, or leave it out.", fileID, line
        )
        var hasChild = false
        let output = future(cancelToken: cancelToken, onCancel: response, fileID: fileID, line: line) {
            (completion: @escaping @Sendable (Result<ProcessOutput, any Error>) -> Void) in
            hasChild = true
            let child = ChildProcess(
                self, input: input, timeout: timeout, gracePeriod: gracePeriod, outputLimit: outputLimit,
                createdAt: CreationSite(fileID: fileID, line: line), completion: completion)
            child.start()
            return CancelAction { child.stop() }
        }
        // If the token was canceled before, there is no child.
        if !hasChild { LaunchThread.shared.run { self.closeOutputPipes() } }
        return output
    }

    /// Runs a program, and returns a future of its output, completed when it has ended.
    ///
    ///     let files = Process
    ///         .output(of: "/bin/ls", arguments: ["-l"], currentDirectory: folder)
    ///         .map { $0.text }
    ///
    /// For the rest see ``output(input:timeout:gracePeriod:outputLimit:cancelToken:onCancel:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - executable: The path of the program. PATH is not searched; for that, run `/usr/bin/env` with the program's
    ///     name as the first argument.
    ///   - arguments: The arguments after the name of the program.
    ///   - environment: The environment; nil for the parent's.
    ///   - currentDirectory: The directory to run in; nil for the parent's directory.
    ///   - input: The data for the child's standard input. Nil for the parent's.
    ///   - timeout: When to stop the child. The future then fails with `FuturesError.timedOut`.
    ///   - gracePeriod: How long after SIGTERM a stopped child is killed.
    ///   - outputLimit: The largest size of each output in bytes. A child that writes more is stopped, and the future
    ///     fails with ``ProcessError/outputTooLarge(limit:)``.
    ///   - cancelToken: Stops the child.
    ///   - response: Whether a cancellation cancels the future at once, or the future waits for the end of the child.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public static func output(
        of executable: String, arguments: [String] = [], environment: [String: String]? = nil,
        currentDirectory: URL? = nil, input: Data? = nil, timeout: Duration? = nil,
        gracePeriod: Duration = .seconds(2), outputLimit: Int = .max, cancelToken: CancelToken = .none,
        onCancel response: TaskCancellationResponse = .abandon, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<ProcessOutput> {
        guard !executable.isEmpty else {
            return Future(error: ProcessError.notStarted(executable: "", reason: "its path is empty"))
        }
        if let currentDirectory, !currentDirectory.isFileURL {
            return Future(
                error: ProcessError.notStarted(
                    executable: executable, reason: "its current directory \(currentDirectory) is not a file URL"))
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        if let environment { process.environment = environment }
        if let currentDirectory { process.currentDirectoryURL = currentDirectory }
        return process.output(
            input: input, timeout: timeout, gracePeriod: gracePeriod, outputLimit: outputLimit,
            cancelToken: cancelToken, onCancel: response, fileID: fileID, line: line)
    }
}
#endif
