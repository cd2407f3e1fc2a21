#if os(macOS) || os(Linux)
import Dispatch
import Foundation

/// One child process that computes one checksum.
///
/// Sendable because `state` is touched under `lock` alone, as is `process` until the child has ended; from then on
/// `process` belongs to the termination handler. The rest is constant.
final class ChecksumProcess: @unchecked Sendable {
    private enum State {
        case waiting, running, ended, cancelled
    }

    // One launch at a time: a child must not inherit the ends of another child's pipes that are not yet closed.
    private static let launches = DispatchQueue(label: "MigrationTour.ChecksumProcess", target: .global())

    private let path: String
    private let program: String
    private let completion: @Sendable (Result<Checksum, FileError>) -> Void
    private let process = Process()
    private let lock = NSLock()
    private var state = State.waiting

    init(path: String, program: String, completion: @escaping @Sendable (Result<Checksum, FileError>) -> Void) {
        // The child must not take a name for an option, nor "-" for its standard input.
        self.path = path.hasPrefix("-") ? "./" + path : path
        self.program = program
        self.completion = completion
    }

    func start() {
        DispatchQueue.global().async {
            if let error = FileError.whyUnreadable(self.path) { return self.completion(.failure(error)) }
            Self.launches.async { self.launch() }
        }
    }

    /// Returns when the signal has been sent: a program that exits right after leaves no child behind.
    func cancel() {
        lock.withLock {
            // Not `terminate()`: on Linux a child started from a Dispatch thread inherits a mask that blocks SIGTERM.
            if state == .running, process.isRunning { kill(processGroup ?? process.processIdentifier, SIGKILL) }
            if state != .ended { state = .cancelled }
        }
    }

    /// Names the child and the children of its own, if it leads a group: they, too, keep it from ending.
    private var processGroup: pid_t? {
        let id = process.processIdentifier
        return getpgid(id) == id ? -id : nil
    }

    private func launch() {
        do {
            try lock.withLock {
                guard state == .waiting else { throw FileError.cancelled }
                state = .ended
                try runProcess()
                state = .running
            }
        } catch {
            completion(.failure(FileError(error)))
        }
    }

    private func runProcess() throws {
        // Asked first, because on Linux a `Process` that cannot start its program leaves descriptors open.
        guard access(program, X_OK) == 0 else { throw launchFailure(String(cString: strerror(errno))) }
        let output = try OutputPipe()
        let errors = try OutputPipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [path]
        process.environment = ["LC_ALL": "C"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output.writingEnd
        process.standardError = errors.writingEnd
        process.terminationHandler = { _ in self.finish(output: output.drain(), errors: errors.drain()) }
        do {
            try process.run()
        } catch {
            process.terminationHandler = nil
            throw launchFailure(error.localizedDescription)
        }
        output.closeWritingEnd()
        errors.closeWritingEnd()
    }

    private func launchFailure(_ reason: String) -> FileError {
        .childFailed("could not start \(program): \(reason)")
    }

    private func finish(output: String, errors: String) {
        // Waits for `launch` to be done with the process, should the child have been that quick.
        let lastState = lock.withLock {
            defer { state = .ended }
            return state
        }
        process.terminationHandler = nil
        completion(lastState == .cancelled ? .failure(.cancelled) : result(output: output, errors: errors))
    }

    private func result(output: String, errors: String) -> Result<Checksum, FileError> {
        guard process.terminationReason == .exit else {
            return .failure(.childFailed("killed by signal \(process.terminationStatus)"))
        }
        guard process.terminationStatus == 0 else {
            let message = errors.split(separator: "\n").first?.components(separatedBy: "\(path): ").last
            return .failure(.childFailed(message ?? "exit status \(process.terminationStatus)"))
        }
        guard let checksum = Checksum(output: output) else {
            return .failure(.childFailed("cannot read its answer \"\(output.prefix(80))\""))
        }
        return .success(checksum)
    }
}
#endif
