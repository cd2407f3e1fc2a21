#if os(macOS) || os(Linux)
import Dispatch
import Foundation

/// One child process that computes one checksum.
///
/// Sendable because `lock` protects `state`, and `process` until the child has ended. From then on only the termination
/// handler uses `process`. The rest is constant.
final class ChecksumProcess: @unchecked Sendable {
    typealias Completion = @Sendable (Result<Checksum, FileError>) -> Void

    private enum State {
        case waiting, running, ended, cancelled
    }

    // One launch at a time, so that a child doesn't inherit the open pipe ends of another child.
    private static let launches = DispatchQueue(label: "MigrationTour.ChecksumProcess", target: .global())

    private let path: String
    private let program: String
    private let process = Process()
    private let lock = NSLock()
    private var state = State.waiting

    init(path: String, program: String) {
        // So that the child doesn't read a name as an option, or "-" as its standard input.
        self.path = path.hasPrefix("-") ? "./" + path : path
        self.program = program
    }

    /// Starts the child, unless the call was canceled.
    ///
    /// Call it once.
    func start(_ completion: @escaping Completion) {
        DispatchQueue.global().async {
            if let error = FileError.whyUnreadable(self.path) { return completion(.failure(error)) }
            Self.launches.async { self.launch(completion) }
        }
    }

    /// Returns when the signal has been sent, so that a program that exits right after leaves no child behind.
    func cancel() {
        lock.withLock {
            // Not `terminate()`: on Linux a child started from a Dispatch thread inherits a mask that blocks SIGTERM.
            if state == .running, process.isRunning { kill(processGroup ?? process.processIdentifier, SIGKILL) }
            if state != .ended { state = .cancelled }
        }
    }

    /// The group of the child, if it leads one: its own children keep it from ending.
    private var processGroup: pid_t? {
        let id = process.processIdentifier
        return getpgid(id) == id ? -id : nil
    }

    private func launch(_ completion: @escaping Completion) {
        do {
            try lock.withLock {
                guard state == .waiting else { throw FileError.cancelled }
                state = .ended
                try runProcess(completion)
                state = .running
            }
        } catch {
            completion(.failure(FileError(error)))
        }
    }

    private func runProcess(_ completion: @escaping Completion) throws {
        // Checked first, because on Linux a `Process` that can't start its program leaves descriptors open.
        guard access(program, X_OK) == 0 else { throw launchFailure(String(cString: strerror(errno))) }
        let output = try OutputPipe()
        let errors = try OutputPipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [path]
        process.environment = ["LC_ALL": "C"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output.writingEnd
        process.standardError = errors.writingEnd
        process.terminationHandler = { _ in
            completion(self.result(output: output.drain(), errors: errors.drain()))
        }
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

    private func result(output: String, errors: String) -> Result<Checksum, FileError> {
        // Waits until `launch` is done with the process, if the child has ended before.
        let lastState = lock.withLock {
            defer { state = .ended }
            return state
        }
        process.terminationHandler = nil
        guard lastState != .cancelled else { return .failure(.cancelled) }
        guard process.terminationReason == .exit else {
            return .failure(.childFailed("killed by signal \(process.terminationStatus)"))
        }
        guard process.terminationStatus == 0 else {
            let message = errors.split(separator: "\n").first?.components(separatedBy: "\(path): ").last
            return .failure(.childFailed(message ?? "exit status \(process.terminationStatus)"))
        }
        guard let checksum = Checksum(output: output) else {
            return .failure(.childFailed("can't read its output \"\(output.prefix(80))\""))
        }
        return .success(checksum)
    }
}
#endif
