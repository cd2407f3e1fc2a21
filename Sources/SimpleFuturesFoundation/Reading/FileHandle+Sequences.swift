public import Foundation
import SimpleFutures
import SimpleFuturesInterop

extension FileHandle {
    /// The bytes of a pipe, a terminal, a stream socket or a file, in pieces that are read on demand.
    ///
    ///     for try await piece in handle.asyncChunks() {
    ///         try await archive.append(piece)        // as slow as it likes
    ///     }
    ///
    /// Only one piece is in memory, and none is lost, however slow the loop is; the writer waits while the pipe is
    /// full. By contrast, ``chunks(capacity:chunkSize:cancelToken:fileID:line:)`` reads as fast as it can, for any
    /// number of callbacks and loops.
    ///
    /// It reads a duplicate of the descriptor: you can close or release the handle in the meantime, but must not read
    /// it elsewhere at the same time. At this call it must be open: Foundation on Apple's systems ends the program if it
    /// is closed. If a loop is left early, the next loop continues after its last piece. Concurrent loops share the
    /// pieces: each piece goes to one of them.
    ///
    /// - Parameters:
    ///   - chunkSize: The size of the largest piece, in bytes. It must be positive; more than 16 MB counts as 16 MB.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func asyncChunks(
        chunkSize: Int = 65_536, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FileChunks {
        requireChunkSize(chunkSize, "FileHandle.asyncChunks", fileID, line)
        return FileChunks(Result { PullReader(try openToRead(), chunkSize: chunkSize) })
    }

    /// The lines of a pipe, a terminal, a stream socket or a file, as UTF-8, read on demand.
    ///
    ///     for try await line in FileHandle.standardInput.asyncLines() {
    ///         try await archive.append(line)        // as slow as it likes
    ///     }
    ///
    /// A line ends with a newline, or with a carriage return and a newline, which are not included. The rest at the end
    /// of the file, or before an error, is the last line. Invalid UTF-8 becomes U+FFFD. If a loop is left early, the next
    /// loop gets the remaining lines. Concurrent loops share the lines: each line goes, whole, to one of them. For the
    /// rest see ``asyncChunks(chunkSize:fileID:line:)``.
    public func asyncLines() -> FileLines {
        FileLines(LineReader(Result { PullReader(try openToRead(), chunkSize: 65_536) }))
    }
}

extension Pipe {
    /// The bytes written into the pipe, in pieces that are read on demand.
    ///
    ///     let (process, pipe) = (Process(), Pipe())
    ///     process.executableURL = URL(fileURLWithPath: "/bin/ls")
    ///     process.standardOutput = pipe
    ///     let end = process.output().validate()
    ///     for try await piece in pipe.asyncChunks() { try await archive.append(piece) }
    ///     _ = try await end.value
    ///
    /// A process that writes faster than the loop reads has to wait. The sequence ends when all writing ends are
    /// closed. See `FileHandle.asyncChunks(chunkSize:)`.
    ///
    /// - Parameters:
    ///   - chunkSize: The size of the largest piece, in bytes. It must be positive; more than 16 MB counts as 16 MB.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func asyncChunks(
        chunkSize: Int = 65_536, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FileChunks {
        fileHandleForReading.asyncChunks(chunkSize: chunkSize, fileID: fileID, line: line)
    }

    /// The lines written into the pipe, as UTF-8, read on demand.
    ///
    /// The sequence ends when all writing ends are closed. See `FileHandle.asyncLines()`.
    public func asyncLines() -> FileLines { fileHandleForReading.asyncLines() }
}

/// The bytes of a file in pieces, read on demand: see `FileHandle.asyncChunks(chunkSize:)`.
public struct FileChunks: AsyncSequence, Sendable {
    /// A piece, never empty.
    public typealias Element = Data
    /// A `POSIXError`, or `CancellationError`.
    public typealias Failure = any Error

    private let reader: Result<PullReader, any Error>

    init(_ reader: Result<PullReader, any Error>) { self.reader = reader }

    /// Creates an iterator that continues after the pieces that others have read.
    public func makeAsyncIterator() -> Iterator { Iterator(reader) }

    /// Reads one piece after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: Result<PullReader, any Error>
        private var hasEnded = false

        init(_ reader: Result<PullReader, any Error>) { self.reader = reader }

        /// Waits for the next piece.
        ///
        /// Returns nil at the end of the file, and after an error.
        ///
        /// - Throws: A `POSIXError` if reading fails; `CancellationError` at once if the task is canceled. Bytes not
        ///   read then stay available to other iterators.
        public mutating func next() async throws -> Data? {
            guard !hasEnded else { return nil }
            // Assumed until the call returns a piece.
            hasEnded = true
            let piece = try await reader.get().next()
            hasEnded = piece == nil
            return piece
        }

        /// Waits for the next piece, like ``next()``, and stays on the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        nonisolated(nonsending) public mutating func next(
            isolation actor: (any Actor)?
        ) async throws(any Error) -> Data? {
            try await next()
        }
    }
}

/// The lines of a file, read on demand: see `FileHandle.asyncLines()`.
public struct FileLines: AsyncSequence, Sendable {
    /// A line without its line ending.
    public typealias Element = String
    /// A `POSIXError`, or `CancellationError`.
    public typealias Failure = any Error

    private let reader: LineReader

    fileprivate init(_ reader: LineReader) { self.reader = reader }

    /// Creates an iterator that continues after the lines that others have read.
    public func makeAsyncIterator() -> Iterator { Iterator(reader) }

    /// Reads one line after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: LineReader
        private var hasEnded = false

        fileprivate init(_ reader: LineReader) { self.reader = reader }

        /// Waits for the next line.
        ///
        /// Returns nil at the end of the file, and after an error.
        ///
        /// - Throws: A `POSIXError` if reading fails; `CancellationError` at once if the task is canceled. Lines not
        ///   read then stay available to other iterators.
        public mutating func next() async throws -> String? {
            guard !hasEnded else { return nil }
            hasEnded = true
            let line = try await reader.next()
            hasEnded = line == nil
            return line
        }

        /// Waits for the next line, like ``next()``, and stays on the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        nonisolated(nonsending) public mutating func next(
            isolation actor: (any Actor)?
        ) async throws(any Error) -> String? {
            try await next()
        }
    }
}

/// Splits pieces into lines, for all iterators.
private final class LineReader: @unchecked Sendable {
    // Sendable: the lines, the splitter and the failure are accessed only by the task inside the mutex. The rest is
    // constant.

    private let reader: Result<PullReader, any Error>
    /// Held from before a piece is read until it is split, because pieces must be split in the order of the file.
    private let turnstile = Turnstile()
    private var lines = RingBuffer<String>()
    private var splitter = LineSplitter()
    /// The error that follows the last line.
    private var failure: (any Error)?

    init(_ reader: Result<PullReader, any Error>) { self.reader = reader }

    func next() async throws -> String? {
        if !turnstile.tryEnter() {
            guard await turnstile.enter() else { throw taskCancellation() }
        }
        defer { turnstile.leave() }
        guard !Task.isCancelled else { throw taskCancellation() }
        while lines.isEmpty, failure == nil {
            do {
                guard let piece = try await reader.get().next() else { break }
                for line in splitter.add(piece) { lines.append(line) }
            } catch {
                // A canceled task leaves the beginning of a line to the next loop.
                guard !(error is CancellationError) else { throw error }
                failure = error
            }
        }
        if let line = lines.popFirst() ?? splitter.end() { return line }
        if let error = failure.take() { throw error }
        return nil
    }
}

/// Used by one task.
@available(*, unavailable)
extension FileChunks.Iterator: Sendable {}

/// Used by one task.
@available(*, unavailable)
extension FileLines.Iterator: Sendable {}
