import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop

/// Stage 4: structured concurrency alone.
///
/// A call is a child of the one that waits for it. One that fails, takes too long or is canceled takes its children
/// with it, and goes on when they have ended. What the other stages do with tokens is the language's business now.
struct Stage4Structured: Sendable {
    let job: Job

    func row(for file: InputFile) async -> Row {
        do {
            return try await figures(of: file)
        } catch { return job.errorRow(for: file, error) }
    }

    /// Not two `async let`: awaiting the one, we would not hear that the other one has failed.
    private func figures(of file: InputFile) async throws -> Row {
        try await withThrowingTaskGroup(of: Answer.self) { calls in
            defer { calls.cancelAll() }
            calls.addTask { .counts(try await job.counts(of: file)) }
            calls.addTask { .checksum(try await job.checksum(of: file)) }
            calls.addTask {
                try await Task.sleep(for: job.limits.timeout)
                return .timeUp
            }
            var counts: Counts?
            var checksum: Checksum?
            answers: for try await answer in calls {
                switch answer {
                case .counts(let value): counts = value
                case .checksum(let value): checksum = value
                case .timeUp: break answers
                }
                if let counts, let checksum { return try Row(file, counts, checksum) }
            }
            throw FileError.timedOut(after: job.limits.timeout)
        }
    }

    private enum Answer {
        case counts(Counts)
        case checksum(Checksum)
        case timeUp
    }

    func rows(for files: [InputFile]) async -> [Row] {
        await withTaskGroup(of: (index: Int, row: Row).self) { group in
            var rows = [Row?](repeating: nil, count: files.count)
            for (index, file) in files.enumerated() {
                if index >= job.limits.jobs, let done = await group.next() { rows[done.index] = done.row }
                group.addTask { (index, await job.row(for: file)) }
            }
            for await done in group { rows[done.index] = done.row }
            return rows.compactMap { $0 }
        }
    }
}

// MARK: - The border: a legacy function that is still needed, and the library in the place of another one

/// Canceling the task stops the call; then its own answer is waited for, since only then all is closed.
extension Stage4Structured {
    func counts(of file: InputFile) async throws -> Counts {
        let token = CancelToken()
        let counts: Future<Counts> = future(cancelToken: token, onCancel: .wait) {
            countFile(at: file.path, chunkSize: job.limits.chunkSize, completion: $0).handle
        }
        return try await counts.value(cancelling: token)
    }

    /// What `runChecksum` does, without it: the child process is `SimpleFuturesFoundation`'s.
    func checksum(of file: InputFile) async throws -> Checksum {
        #if os(macOS) || os(Linux)
        if let error = FileError.whyUnreadable(file.path) { throw error }
        let token = CancelToken()
        let child = Process.output(
            of: job.limits.checksumProgram, arguments: [file.argument], environment: ["LC_ALL": "C"], input: Data(),
            cancelToken: token, onCancel: .wait)
        do {
            let output = try await child.validate().value(cancelling: token)
            guard let checksum = Checksum(output: output.text) else {
                throw FileError.childFailed("cannot read its answer \"\(output.text.prefix(80))\"")
            }
            return checksum
        } catch let error as ProcessError {
            throw token.isCancelled ? .cancelled : FileError(error, about: file.argument)
        }
        #else
        throw FileError.noChildren
        #endif
    }
}

#if os(macOS) || os(Linux)
extension FileError {
    /// The error in the words of the legacy function.
    fileprivate init(_ error: ProcessError, about argument: String) {
        switch error {
        case .notStarted(let executable, let reason):
            self = .childFailed("could not start \(executable): \(reason)")
        case .outputTooLarge: self = .childFailed("too much output")
        case .failed(let output):
            switch output.termination {
            case .exited(let status):
                let firstLine = output.errorText.split(separator: "\n").first
                let message = firstLine?.components(separatedBy: "\(argument): ").last
                self = .childFailed(message ?? "exit status \(status)")
            case .signalled(let signal): self = .childFailed("killed by signal \(signal)")
            }
        }
    }
}
#endif

// MARK: - Given back: the functions of stage 1, for callers that have completion handlers still

extension Stage4Structured {
    func counts(
        of file: InputFile,
        completion: @escaping @Sendable (Counts?, (any Error)?) -> Void
    ) -> LegacyRequest {
        LegacyRequest(cancelling: callback(completion) { try await counts(of: file) })
    }

    func checksum(
        of file: InputFile,
        completion: @escaping @Sendable (Result<Checksum, any Error>) -> Void
    ) -> LegacyRequest {
        LegacyRequest(cancelling: callback(completion) { try await checksum(of: file) })
    }

    func row(for file: InputFile, completion: @escaping @Sendable (Row) -> Void) -> LegacyRequest {
        LegacyRequest(cancelling: callback(completion) { await row(for: file) })
    }

    func rows(for files: [InputFile], completion: @escaping @Sendable ([Row]) -> Void) -> LegacyRequest {
        LegacyRequest(cancelling: callback(completion) { await rows(for: files) })
    }
}
