/// Emits the elements of a stream.
///
///     final class Locator {
///         private let promise = StreamPromise<Position>(capacity: 10)
///         var positions: FutureStream<Position> { promise.stream }
///
///         func didMove(to position: Position) { promise.success(position) }
///         func didFail(_ error: any Error) { promise.failure(error) }
///     }
///
/// When you release the promise the stream finishes, unless it has other producers: see
/// ``completeWith(context:stream:)-(_,FutureStream<T>)``. Elements emitted after ``finish()`` are dropped;
/// ``FuturesDiagnostics`` reports them, with the place where the promise was created.
///
/// All members may be called from any thread and in any callback. None waits for another thread.
@preconcurrency
public final class StreamPromise<T: Sendable>: Sendable {
    /// The stream that the promise emits into.
    public let stream: FutureStream<T>

    /// Creates a promise with an open stream.
    ///
    /// - Parameters:
    ///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
    ///     stream may go on without end, pass a limit. It must not be negative.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public init(capacity: Int = Int.max, fileID: StaticString = #fileID, line: UInt = #line) {
        stream = FutureStream(producedWith: capacity, fileID: fileID, line: line)
    }

    deinit { stream.core.loseProducer() }

    /// Emits an element, a value or an error.
    ///
    /// After the stream has finished this has no effect and is reported.
    @preconcurrency @inlinable
    public func complete(_ result: Try<T>) { stream.complete(result) }

    /// Emits a value, like ``complete(_:)``.
    @preconcurrency @inlinable
    public func success(_ value: T) { stream.success(value) }

    /// Emits an error, like ``complete(_:)``.
    ///
    /// The stream continues.
    public func failure(_ error: any Error) { stream.failure(error) }

    /// Finishes the stream.
    ///
    /// Earlier elements are delivered first. A second call has no effect.
    public func finish() { stream.finish() }

    /// Emits the result of a future when it is completed.
    ///
    /// You can release the promise. See ``FutureStream/completeWith(context:future:)-(_,Future<T>)``.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - future: The future whose result to emit.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Future<T>) {
        stream.completeWith(future: future)
    }

    // Disfavored, so that `promise.completeWith(context:future:)` without a call is the declaration of 0.2.

    /// Emits the result of a future, or an error.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - future: The future whose result to emit, or an error.
    @preconcurrency @_disfavoredOverload
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Try<Future<T>>) {
        stream.completeWith(future: future)
    }

    /// Emits the elements of another stream.
    ///
    /// You can release the promise. See ``FutureStream/completeWith(context:stream:)-(_,FutureStream<T>)``.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - stream: The other stream. Its replayed elements are emitted first.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, stream: FutureStream<T>) {
        self.stream.completeWith(stream: stream)
    }

    /// Emits the elements of another stream, or an error.
    ///
    /// - Parameters:
    ///   - context: Ignored. Kept for compatibility with SimpleFutures 0.2.
    ///   - stream: The stream to take the elements from, or an error.
    @preconcurrency @_disfavoredOverload
    public func completeWith(
        context: any ExecutionContext = QueueContext.futuresDefault, stream: Try<FutureStream<T>>
    ) {
        self.stream.completeWith(stream: stream)
    }
}

extension StreamPromise where T == Void {
    /// Emits an element.
    @inlinable
    public func success() { success(()) }
}

extension StreamPromise: CustomDebugStringConvertible {
    /// The place where the promise was created, and the state of its stream.
    public var debugDescription: String {
        "StreamPromise(\(stream.debugDescription), createdAt: \(stream.core.site.map(\.description) ?? "?"))"
    }
}
