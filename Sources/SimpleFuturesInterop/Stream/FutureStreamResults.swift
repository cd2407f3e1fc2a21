public import SimpleFutures

/// The values and errors of a stream, for a loop.
///
/// See `FutureStream.results`.
public struct FutureStreamResults<T: Sendable>: AsyncSequence, Sendable {
    /// A value or an error.
    public typealias Element = Try<T>
    /// Errors are never thrown.
    public typealias Failure = Never

    @usableFromInline let stream: FutureStream<T>
    @usableFromInline let policy: StreamBufferingPolicy

    @usableFromInline
    init(_ stream: FutureStream<T>, _ policy: StreamBufferingPolicy) {
        self.stream = stream
        self.policy = policy
    }

    /// Subscribes to the stream, and receives its replayed elements.
    @inlinable
    public func makeAsyncIterator() -> Iterator { Iterator(StreamReader(stream, policy)) }

    /// Iterates over the elements.
    ///
    /// When it is released, it unsubscribes.
    ///
    /// Use it in one task. If calls of `next()` overlap, they are served in order.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline var reader: StreamReader<T>

        @usableFromInline
        init(_ reader: StreamReader<T>) {
            self.reader = reader
            // It does not throw: a dropped failure ends nothing.
            reader.inbox.forgetFailures()
        }

        /// The number of elements that were lost because the buffer was full or the iterator had ended.
        public var droppedCount: Int { reader.inbox.gate.dropped }

        /// Whether a task waits for an element.
        ///
        /// A package hook for tests.
        package var isAwaited: Bool { reader.inbox.gate.isAwaited }

        /// Whether the buffer has no elements and the stream has not ended.
        ///
        /// A package hook for tests.
        package var isEmpty: Bool { reader.inbox.gate.isEmpty(throwing: false) }

        /// Waits for the next element.
        ///
        /// Returns nil when the stream has finished.
        ///
        /// If the task or the stream is canceled, it is `.failure(CancellationError())` once, then nil.
        @inlinable
        public mutating func next() async -> Try<T>? {
            if isKnownUniquelyReferenced(&reader), let element = reader.nextAtHand(throwing: false) { return element }
            return await reader.next(throwing: false)
        }

        /// Waits for the next element, like ``next()``, and stays on the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        @inlinable
        nonisolated(nonsending) public mutating func next(isolation actor: (any Actor)?) async -> Try<T>? {
            if isKnownUniquelyReferenced(&reader), let element = reader.nextAtHand(throwing: false) { return element }
            return await reader.next(throwing: false)
        }
    }
}

/// Used by one task.
@available(*, unavailable)
extension FutureStreamResults.Iterator: Sendable {}
