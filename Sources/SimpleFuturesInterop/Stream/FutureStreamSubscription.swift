public import SimpleFutures

/// A subscription to iterate later, without losing elements in between.
///
///     let readings = device.readings().subscription(buffering: .newest(100))
///     try await device.start().value
///     for try await reading in readings { show(reading) }
///
/// Iterating it returns the values, and throws the first failure, like `FutureStream.values`; ``results`` returns
/// failures as elements. It can be iterated once: a second iterator throws `FuturesError.noSuchElement`, which is also
/// reported to `FuturesDiagnostics`. Releasing it before an iteration unsubscribes; after that the iterator owns the
/// subscription, and unsubscribes when it is released.
public struct FutureStreamSubscription<T: Sendable>: AsyncSequence, Sendable {
    /// A value.
    public typealias Element = T
    /// The failure of the stream, or `CancellationError`.
    public typealias Failure = any Error

    @usableFromInline let ticket: Ticket

    @inlinable
    init(_ stream: FutureStream<T>, _ policy: StreamBufferingPolicy) { self.init(StreamReader(stream, policy)) }

    @usableFromInline
    init(_ reader: StreamReader<T>) { ticket = Ticket(reader) }

    /// Passes the subscription to an iterator, which unsubscribes when it is released.
    public func makeAsyncIterator() -> FutureStreamValues<T>.Iterator { FutureStreamValues.Iterator(ticket.take()) }

    /// The values and errors.
    ///
    /// Only one iteration is possible, either of this property or of the subscription itself.
    public var results: Results { Results(ticket: ticket) }

    /// The number of elements lost so far because the buffer was full.
    ///
    /// It is 0 once an iteration has begun; read the iterator's count then.
    public var droppedCount: Int { ticket.droppedCount }

    /// The values and errors of a subscription.
    public struct Results: AsyncSequence, Sendable {
        /// A value or an error.
        public typealias Element = Try<T>
        /// Errors are never thrown.
        public typealias Failure = Never

        fileprivate let ticket: Ticket

        /// Passes the subscription to an iterator, which unsubscribes when it is released.
        public func makeAsyncIterator() -> FutureStreamResults<T>.Iterator {
            FutureStreamResults.Iterator(ticket.take())
        }
    }

    /// Holds the subscription until it is iterated.
    @usableFromInline
    final class Ticket: Sendable {
        private let reader: Lock<StreamReader<T>?>
        private let site: CreationSite?

        @usableFromInline
        init(_ reader: StreamReader<T>) { (self.reader, site) = (Lock(reader), reader.stream.site) }

        var droppedCount: Int { reader.withLock { $0 }?.inbox.gate.dropped ?? 0 }

        func take() -> StreamReader<T> {
            if let reader = reader.exchange(nil) { return reader }
            FuturesDiagnostics.report(.iteratedAgain(createdAt: site))
            let nothing = FutureStream<T>(error: FuturesError.noSuchElement)
            nothing.finish()
            return StreamReader(nothing, .unbounded)
        }
    }
}
