public import SimpleFutures

/// A subscription that was made now, to be iterated later: nothing is lost in between.
///
///     let updates = device.updates.subscription(buffering: .newest(100))
///     try await device.start().value
///     for try await update in updates { show(update) }
///
/// Iterating it gives the values, and throws the first failure, as `FutureStream.values` does; ``results`` gives
/// failures as elements. It can be iterated once: a second iterator gets `FuturesError.noSuchElement`, which is also
/// reported to `FuturesDiagnostics`. Dropping it before it is iterated unsubscribes; afterwards the iterator has the
/// subscription, and unsubscribes when it is dropped.
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

    /// Gives the subscription to an iterator, which unsubscribes when it is dropped.
    public func makeAsyncIterator() -> FutureStreamValues<T>.Iterator { FutureStreamValues.Iterator(ticket.take()) }

    /// The elements, values and errors alike.
    ///
    /// This and the subscription itself can be iterated once in all.
    public var results: Results { Results(ticket: ticket) }

    /// How many elements were lost so far, since the buffer was full; 0 once it is iterated, when the iterator tells.
    public var droppedCount: Int { ticket.droppedCount }

    /// The elements of a subscription, values and errors alike.
    public struct Results: AsyncSequence, Sendable {
        /// A value or an error.
        public typealias Element = Try<T>
        /// Nothing is thrown.
        public typealias Failure = Never

        fileprivate let ticket: Ticket

        /// Gives the subscription to an iterator, which unsubscribes when it is dropped.
        public func makeAsyncIterator() -> FutureStreamResults<T>.Iterator {
            FutureStreamResults.Iterator(ticket.take())
        }
    }

    /// Keeps the subscription until it is iterated.
    @usableFromInline
    final class Ticket: Sendable {
        private let reader: Lock<StreamReader<T>?>

        @usableFromInline
        init(_ reader: StreamReader<T>) { self.reader = Lock(reader) }

        var droppedCount: Int { reader.withLock { $0 }?.inbox.gate.dropped ?? 0 }

        func take() -> StreamReader<T> {
            if let reader = reader.exchange(nil) { return reader }
            FuturesDiagnostics.report(.iteratedAgain)
            let nothing = FutureStream<T>(error: FuturesError.noSuchElement)
            nothing.finish()
            return StreamReader(nothing, .unbounded)
        }
    }
}
