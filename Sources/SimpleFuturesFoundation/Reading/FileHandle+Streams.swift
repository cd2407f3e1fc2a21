import Dispatch
public import Foundation
public import SimpleFutures
import SimpleFuturesInterop

extension FileHandle {
    /// Returns a stream of the bytes of a pipe, a terminal, a stream socket or a file, in pieces.
    ///
    ///     let handle = FileHandle.standardInput
    ///     handle.chunks(capacity: 0).onSuccess(isolated: { show($0.count) })
    ///     // or: for try await chunk in handle.chunks(capacity: 0).values { … }
    ///
    /// At the end of the file the stream finishes. An error is a failure, a `POSIXError`, after which the stream
    /// finishes.
    ///
    /// With a replay buffer, reading begins with this call, otherwise with the first subscriber. It stops when the last
    /// subscriber has left, and continues for the next one; pieces read for earlier subscribers are not repeated.
    /// Without a replay buffer, a piece that is read while the last subscriber leaves is lost; to go on without a loss,
    /// use ``asyncChunks(chunkSize:fileID:line:)``. Reading stops for good with the token, or when the stream is
    /// released and has no subscribers. To transform all bytes without storing them, use an unlimited capacity and
    /// release the stream: `handle.chunks(capacity: .max).map { … }`. A released stream keeps only the pieces that its
    /// subscribers have yet to receive.
    ///
    /// A piece is read after the pieces before it were emitted: callbacks on an `ImmediateContext` delay the next read,
    /// so that pieces do not pile up. The exception is a thread that registers a callback while pieces arrive: while it
    /// delivers, reading continues. A slow loop, or a callback on another context, does not delay the reading;
    /// ``asyncChunks(chunkSize:fileID:line:)`` reads on demand.
    ///
    /// It reads a duplicate of the descriptor. You can close or release the handle in the meantime, and its
    /// `readabilityHandler` is not changed; but the file must not be read elsewhere at the same time. At this call the
    /// handle must be open: Foundation on Apple's systems ends the program if it is closed.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest pieces to replay to later subscribers. It must not be negative.
    ///   - chunkSize: The size of the largest piece, in bytes. It must be positive; more than 16 MB counts as 16 MB.
    ///   - cancelToken: Stops the reading and cancels the stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func chunks(
        capacity: Int, chunkSize: Int = 65_536, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> FutureStream<Data> {
        read(capacity, chunkSize, cancelToken, fileID, line) { event, emitter in
            switch event {
            case .bytes(let data): emitter.tryComplete(.success(data)) ? nil : event
            case .end, .failed: emitter.tryFinish(with: event)
            }
        }
    }

    /// Returns a stream of the lines of a pipe, a terminal, a stream socket or a file, as UTF-8.
    ///
    ///     for try await line in FileHandle.standardInput.lines(capacity: 0).values {
    ///         print(line)
    ///     }
    ///
    /// A line ends with a newline, or with a carriage return and a newline, which are not included. The rest at the end
    /// of the file, or before an error, is the last line. Invalid UTF-8 becomes U+FFFD. If the last subscriber leaves,
    /// the next one continues with a whole line. For the rest see ``chunks(capacity:chunkSize:cancelToken:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest lines to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Stops the reading and cancels the stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func lines(
        capacity: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<String> {
        // For all loops, so that the next subscriber gets a whole line where the last one left.
        let waiting = Lock(WaitingLines())
        return read(capacity, 65_536, cancelToken, fileID, line) { event, emitter in
            waiting.withLock { $0.add(event) }
            while let line = waiting.withLock({ $0.lines.popFirst() }) {
                guard emitter.tryComplete(.success(line)) else {
                    waiting.withLock { $0.lines.prepend(line) }
                    return event.afterBytes
                }
            }
            return if case .bytes = event { nil } else { emitter.tryFinish(with: event) }
        }
    }

    private func read<T: Sendable>(
        _ capacity: Int, _ chunkSize: Int, _ token: CancelToken, _ fileID: StaticString, _ line: UInt,
        _ body: @escaping @Sendable (ReadLoop.Event, StreamEmitter<T>) -> ReadLoop.Event?
    ) -> FutureStream<T> {
        requireChunkSize(chunkSize, "FileHandle.chunks", fileID, line)
        // One serial queue for all loops, so that they read one after the other. Callbacks run on it, and what they
        // autorelease must not stay until the end of the file.
        let queue = DispatchQueue(label: "SimpleFuturesFoundation.FileHandle", autoreleaseFrequency: .workItem)
        let unread = Lock<ReadLoop.Event?>(nil)
        let original = Result { try openToRead() }
        return FutureStream(
            capacity: capacity, cancelToken: token, context: ImmediateContext(), fileID: fileID, line: line
        ) { emitter in
            let loop = ReadLoop(
                try original.get(), chunkSize: chunkSize, on: queue, unread: unread, isOver: { emitter.isOver }
            ) { body($0, emitter) }
            loop.start()
            return CancelAction { loop.stop() }
        }
    }
}

func requireChunkSize(_ size: Int, _ name: StaticString, _ fileID: StaticString, _ line: UInt) {
    require(
        size > 0,
        """
        `\(name)` was given the chunk size \(size); a chunk has at least 1 byte. Pass 1 or more, or leave it out.
        """, fileID, line)
}

extension FileHandle {
    func openToRead() throws -> Descriptor {
        // On Linux the null device has no descriptor.
        guard self !== FileHandle.nullDevice else {
            let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard number >= 0 else { throw POSIXError.last }
            return Descriptor(owning: number)
        }
        let descriptor = try Descriptor(copying: fileDescriptor)
        // The writing end of a pipe would never be ready.
        guard descriptor.isReadable else { throw POSIXError(.EBADF) }
        return descriptor
    }
}

extension Pipe {
    /// Returns a stream of the bytes written into the pipe, in pieces.
    ///
    /// It finishes when all writing ends are closed: those of a child process, and `fileHandleForWriting`. See
    /// `FileHandle.chunks(capacity:chunkSize:cancelToken:)`.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest pieces to replay to later subscribers. It must not be negative.
    ///   - chunkSize: The size of the largest piece, in bytes. It must be positive; more than 16 MB counts as 16 MB.
    ///   - cancelToken: Stops the reading and cancels the stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func chunks(
        capacity: Int, chunkSize: Int = 65_536, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> FutureStream<Data> {
        fileHandleForReading.chunks(
            capacity: capacity, chunkSize: chunkSize, cancelToken: cancelToken, fileID: fileID, line: line)
    }

    /// Returns a stream of the lines written into the pipe, as UTF-8.
    ///
    /// It finishes when all writing ends are closed. See `FileHandle.lines(capacity:cancelToken:)`.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest lines to replay to later subscribers. It must not be negative.
    ///   - cancelToken: Stops the reading and cancels the stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func lines(
        capacity: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<String> {
        fileHandleForReading.lines(capacity: capacity, cancelToken: cancelToken, fileID: fileID, line: line)
    }
}

/// Lines that are not emitted yet, and the beginning of the next one.
private struct WaitingLines: ~Copyable {
    var lines = RingBuffer<String>()
    private var splitter = LineSplitter()

    mutating func add(_ event: ReadLoop.Event) {
        switch event {
        case .bytes(let data): for line in splitter.add(data) { lines.append(line) }
        case .end, .failed: if let line = splitter.end() { lines.append(line) }
        }
    }
}

extension ReadLoop.Event {
    /// The event without its bytes, which were taken.
    fileprivate var afterBytes: Self { if case .bytes = self { .bytes(Data()) } else { self } }
}

extension StreamEmitter {
    /// Finishes the stream like a file.
    ///
    /// Returns the event if this run of the source is over.
    fileprivate func tryFinish(with event: ReadLoop.Event) -> ReadLoop.Event? {
        if case .failed(let error) = event, !tryComplete(.failure(error)) { return event }
        finish()
        return nil
    }

    /// Emits an error as the last element.
    func finish(with error: any Error) {
        failure(error)
        finish()
    }
}
