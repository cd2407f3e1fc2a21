#if os(macOS) || os(Linux)
public import Foundation
public import SimpleFutures
public import SimpleFuturesInterop

extension Process {
    /// Starts the process, and gives a future of what it has written when it has ended.
    ///
    ///     let process = Process()
    ///     process.executableURL = URL(fileURLWithPath: "/usr/bin/sort")
    ///     process.arguments = ["-u"]
    ///     let sorted = process
    ///         .output(input: names, timeout: .seconds(10), cancelToken: closed)
    ///         .validate()
    ///     let text = try await sorted.value(cancelling: closed).text
    ///
    /// To be called instead of `run()`, once. Both outputs are read all the time, so that a child never waits for room,
    /// however much it writes; they are held in memory, up to a limit if you give one. An output that you have set to a
    /// `Pipe` or a `FileHandle` stays yours, and is empty in the result: for what is too large for memory iterate
    /// `Pipe.asyncChunks(chunkSize:)`. It has ended when the child itself has: what its own children
    /// write later is not waited for, all that it has written itself is there. A status other than 0 is no failure: see
    /// `validate(statuses:cancelToken:)`. On Linux `isRunning` may be true for a while when the future is completed:
    /// ask the output, not the process.
    ///
    /// A child that is stopped gets SIGTERM, and if it goes on, SIGKILL after the grace period; with it its own
    /// children, if it leads a process group. If it is stopped before it was started it is not started. Dropping the
    /// future stops nothing.
    ///
    /// - Parameters:
    ///   - input: The data for the child's standard input, followed by the end of the file. A child that does not
    ///     read it does no harm. Nil leaves `standardInput` as it is: by default, the parent's.
    ///   - timeout: When the child is stopped. The future then fails with `FuturesError.timedOut`, as soon as the child
    ///     has ended.
    ///   - gracePeriod: How long a child that is stopped has for its last words.
    ///   - outputLimit: How many bytes of each output are held. A child that writes more is stopped, and the future
    ///     fails with ``ProcessError/outputTooLarge(limit:)``.
    ///   - cancelToken: Stops the child.
    ///   - response: Whether the future is canceled with the token, at once, or is completed with how the child has
    ///     ended: right for children that must be gone before something else begins.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    /// - Returns: A future of the output. It fails with ``ProcessError/notStarted(executable:reason:)`` if there is no
    ///   such program, and the like.
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
        return future(cancelToken: cancelToken, onCancel: response, fileID: fileID, line: line) {
            (completion: @escaping @Sendable (Result<ProcessOutput, any Error>) -> Void) in
            let child = ChildProcess(
                self, input: input, timeout: timeout, gracePeriod: gracePeriod, outputLimit: outputLimit,
                completion: completion)
            child.start()
            return CancelAction { child.stop() }
        }
    }

    /// Runs a program, and gives a future of what it has written when it has ended.
    ///
    ///     let files = Process
    ///         .output(of: "/bin/ls", arguments: ["-l"], currentDirectory: folder)
    ///         .map { $0.text }
    ///
    /// For the rest see ``output(input:timeout:gracePeriod:outputLimit:cancelToken:onCancel:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - executable: The path of the program; it is not looked for in PATH. For that, run `/usr/bin/env` with its
    ///     name as the first argument.
    ///   - arguments: The arguments after the name of the program.
    ///   - environment: The environment; nil for the parent's.
    ///   - currentDirectory: Where it runs; nil for the parent's directory.
    ///   - input: The data for the child's standard input. Nil for the parent's.
    ///   - timeout: When the child is stopped, and the future fails with `FuturesError.timedOut`.
    ///   - gracePeriod: How long after SIGTERM a child that is stopped is killed.
    ///   - outputLimit: How many bytes of each output are held. A child that writes more is stopped, and the future
    ///     fails with ``ProcessError/outputTooLarge(limit:)``.
    ///   - cancelToken: Stops the child.
    ///   - response: Whether the future is canceled with the token, at once, or is completed with how the child has
    ///     ended.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
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
                    executable: executable, reason: "its current directory \(currentDirectory) is no file URL"))
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
