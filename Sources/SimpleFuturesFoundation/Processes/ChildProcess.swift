#if os(macOS) || os(Linux)
import Dispatch
import Foundation
import SimpleFutures

/// A child process from its start to its end, with its output.
final class ChildProcess: @unchecked Sendable {
    // Sendable:
    // 1. `process` is accessed on the launch thread until the child runs, then under the lock of `state`, and by
    //    Foundation's handler after the end.
    // 2. `output`, `errors`, `writer` and `timers` are accessed only on `queue`, which is serial. The rest is constant.

    typealias Completion = @Sendable (Result<ProcessOutput, any Error>) -> Void

    private let process: Process
    private let input: Data?
    private let timeout: Duration?
    private let gracePeriod: Duration
    private let outputLimit: Int
    private let site: CreationSite
    private let completion: Completion
    private let queue = DispatchQueue(label: "SimpleFuturesFoundation.ChildProcess")
    private let state = Lock(ChildState())
    /// The reference with which the process's termination handler keeps this object alive, until the end is known.
    private let itself = Holder()

    private final class Holder: Sendable {
        private let child = Lock<ChildProcess?>(nil)

        @discardableResult
        func exchange(_ new: ChildProcess?) -> ChildProcess? { child.exchange(new) }
    }

    private var output: CapturedOutput?
    private var errors: CapturedOutput?
    private var writer: InputWriter?
    private var timers: [Registration] = []

    init(
        _ process: Process, input: Data?, timeout: Duration?, gracePeriod: Duration, outputLimit: Int,
        createdAt site: CreationSite, completion: @escaping Completion
    ) {
        self.process = process
        self.input = input
        self.timeout = timeout
        self.gracePeriod = gracePeriod
        self.outputLimit = outputLimit
        self.site = site
        self.completion = completion
    }

    // MARK: Starting

    func start() { LaunchThread.shared.run { self.launch() } }

    private func launch() {
        guard state.withLock({ $0.start() }) else { return fail(with: CancellationError()) }
        do {
            try run()
        } catch {
            _ = state.withLock { $0.end() }
            fail(with: error)
        }
    }

    /// Completes on the queue, because a callback that blocks the launch thread would delay the starts of others.
    private func fail(with error: any Error) {
        process.closeOutputPipes()
        queue.async { self.completion(.failure(error)) }
    }

    private func run() throws {
        if let reason = process.whyNotStartable { throw process.notStarted(reason) }
        let (outputPipe, errorPipe, inputPipe) = try makePipes()
        let before = (process.standardOutput, process.standardError, process.standardInput)
        // Outputs that the user has set are kept: the child writes to them.
        if !process.hasOwnStandardOutput { process.standardOutput = outputPipe.writing.handle }
        if !process.hasOwnStandardError { process.standardError = errorPipe.writing.handle }
        if let inputPipe { process.standardInput = inputPipe.reading.handle }
        let next = process.terminationHandler
        process.terminationHandler = { [itself] process in
            // On Linux this is called only when the child's own children have ended, too.
            itself.exchange(nil)?.foundationHasNoticed()
            next?(process)
            // On Linux Foundation keeps each process that has run.
            process.terminationHandler = nil
        }
        itself.exchange(self)
        // The child's output and its end are processed on this queue, so after this closure.
        try queue.sync {
            do {
                try process.runWithSignalsOfMainThread()
            } catch {
                itself.exchange(nil)
                process.terminationHandler = next
                // The next attempt must not take the pipes of this one for the user's.
                (process.standardOutput, process.standardError, process.standardInput) = before
                throw process.notStarted(error.reason)
            }
            ChildExit.whenExited(process.processIdentifier) { termination in
                self.queue.async { self.hasEnded(termination) }
            }
            outputPipe.writing.close()
            errorPipe.writing.close()
            inputPipe?.reading.close()
            output = capture(outputPipe)
            errors = capture(errorPipe)
            if let input, let inputPipe { writer = InputWriter(input, to: inputPipe.writing, on: queue) }
            writer?.start()
            if let timeout { timers.append(queue.execute(after: timeout) { self.stop(.timedOut) }) }
            if state.withLock({ $0.hasStarted() }) { terminate() }
        }
    }

    private func capture(_ pipe: DescriptorPipe) -> CapturedOutput {
        CapturedOutput(pipe, on: queue, limit: outputLimit) { [weak self] in self?.stop(.outputTooLarge) }
    }

    private func makePipes() throws -> (output: DescriptorPipe, errors: DescriptorPipe, input: DescriptorPipe?) {
        do {
            let pipes = (try DescriptorPipe(), try DescriptorPipe(), try input.map { _ in try DescriptorPipe() })
            try Poller.shared.prepare()
            // Foundation needs some too. Without them on Linux it reports the end of no child any more.
            _ = try (0..<4).map { _ in try Descriptor(copying: pipes.0.reading.number) }
            return pipes
        } catch {
            throw process.notStarted(error.reason)
        }
    }

    // MARK: Stopping

    /// Terminates the child, or prevents its start.
    func stop() { stop(.cancelled) }

    private func stop(_ reason: ChildState.Reason) {
        if state.withLock({ $0.stop(reason) }) { queue.async { self.terminate() } }
    }

    /// Runs on the queue.
    private func terminate() {
        guard send(SIGTERM) else { return }
        timers.append(queue.execute(after: gracePeriod) { _ = self.send(SIGKILL) })
    }

    /// Sends a signal.
    ///
    /// Returns false when the child has ended.
    private func send(_ signal: Int32) -> Bool {
        state.withLock { state in
            // After the end the number may soon belong to another process.
            guard state.isRunning, process.isRunning else { return false }
            let id = process.processIdentifier
            // If the child leads a process group, its own children get the signal too.
            let leadsGroup = getpgid(id) == id
            if leadsGroup { state.group = id }
            kill(leadsGroup ? -id : id, signal)
            return true
        }
    }

    /// Kills, after the grace period, the rest of the process group of a stopped child that has ended.
    private func killRest() {
        guard let group = state.withLock({ $0.group }), kill(-group, 0) == 0 else { return }
        // The number belongs to the group while any member lives.
        queue.execute(after: gracePeriod) { kill(-group, SIGKILL) }
    }

    // MARK: The end

    private func foundationHasNoticed() {
        let termination = ProcessOutput.Termination(of: process)
        queue.async { self.hasEnded(termination) }
    }

    /// Runs on the queue.
    private func hasEnded(_ termination: ProcessOutput.Termination) {
        let (isFirst, reason) = state.withLock { ($0.end(), $0.reason) }
        guard isFirst else { return }
        itself.exchange(nil)
        for timer in timers { timer.cancel() }
        timers = []
        writer?.stop()
        killRest()
        let result = ProcessOutput(
            termination: termination, standardOutput: output?.end() ?? Data(), standardError: errors?.end() ?? Data())
        if reason == .timedOut {
            return completion(.failure(FuturesError.timedOut(after: timeout, createdAt: site)))
        }
        guard output?.isTooLarge != true, errors?.isTooLarge != true else {
            return completion(.failure(ProcessError.outputTooLarge(limit: outputLimit)))
        }
        completion(.success(result))
    }
}

extension Process {
    /// Whether the user has set a destination for the output.
    fileprivate var hasOwnStandardOutput: Bool {
        standardOutput is Pipe || (standardOutput as? FileHandle).map { $0 !== FileHandle.standardOutput } ?? false
    }

    fileprivate var hasOwnStandardError: Bool {
        standardError is Pipe || (standardError as? FileHandle).map { $0 !== FileHandle.standardError } ?? false
    }

    /// Closes the writing ends of the pipes that are set as outputs, as a start does, so that reading them ends.
    ///
    /// Does nothing if the process was started. Must be called on the launch thread.
    func closeOutputPipes() {
        guard !wasStarted else { return }
        for case let pipe as Pipe in [standardOutput, standardError] { try? pipe.fileHandleForWriting.close() }
    }
}

extension Descriptor {
    /// A handle for Foundation, which must not close the descriptor.
    fileprivate var handle: FileHandle { FileHandle(fileDescriptor: number, closeOnDealloc: false) }
}
#endif
