public import SimpleFutures

/// The values of a stream, to be iterated.
///
/// See `FutureStream.values`.
public struct FutureStreamValues<T: Sendable>: AsyncSequence, Sendable {
    /// A value.
    public typealias Element = T
    /// The failure of the stream, or `CancellationError`.
    public typealias Failure = any Error

    @usableFromInline let stream: FutureStream<T>
    @usableFromInline let policy: StreamBufferingPolicy

    @usableFromInline
    init(_ stream: FutureStream<T>, _ policy: StreamBufferingPolicy) {
        self.stream = stream
        self.policy = policy
    }

    /// Subscribes to the stream, the elements that it keeps included.
    @inlinable
    public func makeAsyncIterator() -> Iterator { Iterator(StreamReader(stream, policy)) }

    /// Iterates over the values; when it is dropped, it unsubscribes.
    ///
    /// Use it in one task. If calls of `next()` overlap, they are served in order.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline var reader: StreamReader<T>

        @usableFromInline
        init(_ reader: StreamReader<T>) { self.reader = reader }

        /// How many elements were lost: since the buffer was full, or since the iterator has ended before they were
        /// delivered.
        public var droppedCount: Int { reader.inbox.gate.dropped }

        /// Whether a task waits for an element.
        ///
        /// Package hook for tests.
        package var isAwaited: Bool { reader.inbox.gate.isAwaited }

        /// Whether there is nothing to be taken out of the buffer, not even the end.
        ///
        /// Package hook for tests.
        package var isEmpty: Bool { reader.inbox.gate.isEmpty }

        /// The next value, as soon as there is one; nil when the stream has finished.
        ///
        /// - Throws: The first failure, after which there is nothing more; `CancellationError` if the task or the
        ///   stream is canceled.
        @inlinable
        public mutating func next() async throws -> T? {
            if isKnownUniquelyReferenced(&reader), let value = reader.nextAtHand(throwing: true) {
                return try value.get()
            }
            return try await reader.next(throwing: true)?.get()
        }

        /// The next value: ``next()`` for a caller that names its actor, on which it stays.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        @inlinable
        nonisolated(nonsending) public mutating func next(isolation actor: (any Actor)?) async throws -> T? {
            if isKnownUniquelyReferenced(&reader), let value = reader.nextAtHand(throwing: true) {
                return try value.get()
            }
            return try await reader.next(throwing: true)?.get()
        }
    }
}

/// An iterator is for one task.
@available(*, unavailable)
extension FutureStreamValues.Iterator: Sendable {}
