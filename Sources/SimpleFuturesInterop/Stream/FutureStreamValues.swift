public import SimpleFutures

/// The values of a stream, for a loop.
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

    /// Subscribes to the stream, and receives its replayed elements.
    @inlinable
    public func makeAsyncIterator() -> Iterator { Iterator(StreamReader(stream, policy)) }

    /// Iterates over the values.
    ///
    /// When it is released, it unsubscribes.
    ///
    /// Use it in one task. If calls of `next()` overlap, they are served in order.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline var reader: StreamReader<T>

        @usableFromInline
        init(_ reader: StreamReader<T>) { self.reader = reader }

        /// The number of elements that were lost because the buffer was full or the iterator had ended.
        public var droppedCount: Int { reader.inbox.gate.dropped }

        /// Whether a task waits for an element.
        ///
        /// A package hook for tests.
        package var isAwaited: Bool { reader.inbox.gate.isAwaited }

        /// Whether the buffer has no elements and the stream has not ended.
        ///
        /// A package hook for tests.
        package var isEmpty: Bool { reader.inbox.gate.isEmpty(throwing: true) }

        /// Waits for the next value.
        ///
        /// Returns nil when the stream has finished.
        ///
        /// - Throws: The first failure, which ends the iteration; `CancellationError` if the task or the stream is
        ///   canceled.
        @inlinable
        public mutating func next() async throws -> T? {
            if isKnownUniquelyReferenced(&reader), let value = reader.nextAtHand(throwing: true) {
                return try value.get()
            }
            return try await reader.next(throwing: true)?.get()
        }

        /// Waits for the next value, like ``next()``, and stays on the caller's actor.
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

/// Used by one task.
@available(*, unavailable)
extension FutureStreamValues.Iterator: Sendable {}
