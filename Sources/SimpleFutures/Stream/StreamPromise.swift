/// The writing end of a stream.
///
///     final class Accelerometer {
///         private let promise = StreamPromise<Acceleration>(capacity: 10)
///         var updates: FutureStream<Acceleration> { promise.stream }
///
///         func didUpdate(_ acceleration: Acceleration) {
///             promise.success(acceleration)
///         }
///         func didFail(_ error: any Error) { promise.failure(error) }
///     }
///
/// When the promise is released the stream finishes, unless other producers are left: see
/// ``completeWith(context:stream:)-(_,FutureStream<T>)``. What is emitted after ``finish()`` is dropped and reported to
/// ``FuturesDiagnostics`` together with the place where the promise was made.
///
/// All members may be called from any thread and from inside any callback, and none of them blocks.
@preconcurrency
public final class StreamPromise<T: Sendable>: Sendable {
    /// The reading end.
    public let stream: FutureStream<T>

    /// Creates a promise with an open stream.
    ///
    /// - Parameters:
    ///   - capacity: How many of the newest elements are kept for those who subscribe later. It must not be negative.
    ///   - fileID: Where it is made, for reports.
    ///   - line: Where it is made, for reports.
    public init(capacity: Int = Int.max, fileID: StaticString = #fileID, line: UInt = #line) {
        stream = FutureStream(producedWith: capacity, fileID: fileID, line: line)
    }

    deinit { stream.core.loseProducer() }

    /// Emits an element, a value or an error.
    ///
    /// Once the stream has finished it has no effect and is reported.
    @preconcurrency @inlinable
    public func complete(_ result: Try<T>) { stream.complete(result) }

    /// Emits a value, as ``complete(_:)`` does.
    @preconcurrency @inlinable
    public func success(_ value: T) { stream.success(value) }

    /// Emits an error, as ``complete(_:)`` does.
    ///
    /// The stream goes on.
    public func failure(_ error: any Error) { stream.failure(error) }

    /// Ends the stream: there will be no more elements.
    ///
    /// Those that were emitted before are delivered first. A second call has no effect.
    public func finish() { stream.finish() }

    /// Emits what a future is completed with, as soon as it is.
    ///
    /// The promise may be released meanwhile. See ``FutureStream/completeWith(context:future:)-(_,Future<T>)``.
    ///
    /// - Parameters:
    ///   - context: Accepted for SimpleFutures' sake and unused: no closure of yours runs.
    ///   - future: The future whose result to emit.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Future<T>) {
        stream.completeWith(future: future)
    }

    /// Emits what a future is completed with, or the error if there is no future.
    ///
    /// - Parameters:
    ///   - context: Accepted for SimpleFutures' sake and unused: no closure of yours runs.
    ///   - future: The future whose result to emit, or why there is none.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, future: Try<Future<T>>) {
        stream.completeWith(future: future)
    }

    /// Emits what another stream emits.
    ///
    /// The promise may be released meanwhile. See ``FutureStream/completeWith(context:stream:)-(_,FutureStream<T>)``.
    ///
    /// - Parameters:
    ///   - context: Accepted for SimpleFutures' sake and unused: no closure of yours runs.
    ///   - stream: The stream whose elements to take over, those that it keeps included.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, stream: FutureStream<T>) {
        self.stream.completeWith(stream: stream)
    }

    /// Emits what another stream emits, or the error if there is no stream.
    ///
    /// - Parameters:
    ///   - context: Accepted for SimpleFutures' sake and unused: no closure of yours runs.
    ///   - stream: The stream whose elements to take over, or why there is none.
    @preconcurrency
    public func completeWith(
        context: any ExecutionContext = QueueContext.futuresDefault, stream: Try<FutureStream<T>>
    ) {
        self.stream.completeWith(stream: stream)
    }
}

extension StreamPromise where T == Void {
    /// Emits an element without a value to tell.
    @inlinable
    public func success() { success(()) }
}

extension StreamPromise: CustomDebugStringConvertible {
    /// The place where it was made, and the state of its stream.
    public var debugDescription: String {
        "StreamPromise(\(stream.debugDescription), createdAt: \(stream.core.site.map(\.description) ?? "?"))"
    }
}
