public import Foundation
import SimpleFutures
import SimpleFuturesInterop

extension FileHandle {
    /// What can be read, piece by piece, each of them read when it is asked for: from a pipe, a terminal, a socket, a
    /// file.
    ///
    ///     for try await piece in download.asyncChunks() {
    ///         try await archive.append(piece)        // as slow as it likes
    ///     }
    ///
    /// No more than one piece is in memory, and none is lost, however slow the loop is; a writer waits, as the pipe is
    /// full. ``chunks(capacity:chunkSize:cancelToken:fileID:line:)`` reads as fast as it can, for any number of
    /// callbacks and loops.
    ///
    /// It is a duplicate of the descriptor that is read: the handle may be closed or dropped meanwhile; nobody else
    /// should read at the same time. A loop that follows one that was left goes on where that was. Of loops at the same
    /// time each gets a part of the pieces.
    ///
    /// - Parameters:
    ///   - chunkSize: The size of the largest piece, in bytes. It must be positive.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public func asyncChunks(
        chunkSize: Int = 65_536, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FileChunks {
        requireChunkSize(chunkSize, "FileHandle.asyncChunks", fileID, line)
        return FileChunks(Result { PullReader(try openToRead(), chunkSize: chunkSize) })
    }

    /// The lines that can be read, as UTF-8, each of them read when it is asked for.
    ///
    ///     for try await line in FileHandle.standardInput.asyncLines() {
    ///         try await database.insert(line)        // as slow as it likes
    ///     }
    ///
    /// A line ends with a newline, or with a carriage return and a newline, which do not belong to it; at the end of
    /// the file comes what is left. Bytes that are no UTF-8 become U+FFFD. What a loop has not got when it is left is
    /// kept for the next one. For the rest see ``asyncChunks(chunkSize:fileID:line:)``.
    public func asyncLines() -> FileLines {
        FileLines(LineReader(Result { PullReader(try openToRead(), chunkSize: 65_536) }))
    }
}

extension Pipe {
    /// What is written into the pipe, piece by piece, each of them read when it is asked for.
    ///
    ///     let (process, pipe) = (Process(), Pipe())
    ///     process.standardOutput = pipe
    ///     let end = process.output()
    ///     for try await piece in pipe.asyncChunks() { try await archive.append(piece) }
    ///
    /// A process that writes faster than the loop reads waits. It ends when all writing ends are closed. See
    /// `FileHandle.asyncChunks(chunkSize:)`.
    ///
    /// - Parameters:
    ///   - chunkSize: The size of the largest piece, in bytes. It must be positive.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public func asyncChunks(
        chunkSize: Int = 65_536, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FileChunks {
        fileHandleForReading.asyncChunks(chunkSize: chunkSize, fileID: fileID, line: line)
    }

    /// The lines that are written into the pipe, as UTF-8, each of them read when it is asked for.
    ///
    /// It ends when all writing ends are closed. See `FileHandle.asyncLines()`.
    public func asyncLines() -> FileLines { fileHandleForReading.asyncLines() }
}

/// The bytes of a file in pieces, read as they are asked for: see `FileHandle.asyncChunks(chunkSize:)`.
public struct FileChunks: AsyncSequence, Sendable {
    /// A piece; it is not empty.
    public typealias Element = Data
    /// A `POSIXError`, or `CancellationError`.
    public typealias Failure = any Error

    private let reader: Result<PullReader, any Error>

    init(_ reader: Result<PullReader, any Error>) { self.reader = reader }

    /// An iterator that reads on where others have stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(reader) }

    /// Reads piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: Result<PullReader, any Error>
        private var hasEnded = false

        init(_ reader: Result<PullReader, any Error>) { self.reader = reader }

        /// The next piece, as soon as there is one; nil at the end of the file, and after an error.
        ///
        /// - Throws: A `POSIXError` if it cannot be read; `CancellationError`, at once, if the task is canceled. What
        ///   is not read then is left for others.
        public mutating func next() async throws -> Data? {
            guard !hasEnded else { return nil }
            // As long as nothing else has happened.
            hasEnded = true
            let piece = try await reader.get().next()
            hasEnded = piece == nil
            return piece
        }

        /// The next piece: ``next()`` for a caller that names its actor, on which it stays.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        nonisolated(nonsending) public mutating func next(
            isolation actor: (any Actor)?
        ) async throws(any Error) -> Data? {
            try await next()
        }
    }
}

/// The lines of a file, read as they are asked for: see `FileHandle.asyncLines()`.
public struct FileLines: AsyncSequence, Sendable {
    /// A line without its end.
    public typealias Element = String
    /// A `POSIXError`, or `CancellationError`.
    public typealias Failure = any Error

    private let reader: LineReader

    fileprivate init(_ reader: LineReader) { self.reader = reader }

    /// An iterator that reads on where others have stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(reader) }

    /// Reads line by line.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: LineReader
        private var hasEnded = false

        fileprivate init(_ reader: LineReader) { self.reader = reader }

        /// The next line, as soon as there is one; nil at the end of the file, and after an error.
        ///
        /// - Throws: A `POSIXError` if it cannot be read; `CancellationError`, at once, if the task is canceled. What
        ///   is not read then is left for others.
        public mutating func next() async throws -> String? {
            guard !hasEnded else { return nil }
            hasEnded = true
            let line = try await reader.next()
            hasEnded = line == nil
            return line
        }

        /// The next line: ``next()`` for a caller that names its actor, on which it stays.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        nonisolated(nonsending) public mutating func next(
            isolation actor: (any Actor)?
        ) async throws(any Error) -> String? {
            try await next()
        }
    }
}

/// Divides what is read into lines, for all loops over them.
private final class LineReader: Sendable {
    private struct State: ~Copyable {
        var lines = RingBuffer<String>()
        var splitter = LineSplitter()
    }

    private let reader: Result<PullReader, any Error>
    private let state = Lock(State())

    init(_ reader: Result<PullReader, any Error>) { self.reader = reader }

    func next() async throws -> String? {
        guard !Task.isCancelled else { throw taskCancellation() }
        if let line = state.withLock({ $0.lines.popFirst() }) { return line }
        while let piece = try await reader.get().next() {
            let line = state.withLock { state in
                for line in state.splitter.add(piece) { state.lines.append(line) }
                return state.lines.popFirst()
            }
            if let line { return line }
        }
        return state.withLock { $0.splitter.end() }
    }
}

/// An iterator is for one task.
@available(*, unavailable)
extension FileChunks.Iterator: Sendable {}

/// An iterator is for one task.
@available(*, unavailable)
extension FileLines.Iterator: Sendable {}
