public import SimpleFutures

extension FutureStream {
    /// The values, for a `for try await` loop.
    ///
    ///     for try await position in positions.values { show(position) }
    ///
    /// Each loop has its own subscription and buffer, so any number of loops see every value: first the replayed ones,
    /// then new ones. Nothing is dropped. If a consumer may stay slower than the producer, use ``values(buffering:)``.
    ///
    /// **End.** The first failure is thrown after the values before it, and ends the loop. When the stream finishes,
    /// the buffered values are delivered first. If the stream is canceled, the loop throws `CancellationError` after
    /// the buffered values. If the task is canceled, it throws at once, and the buffered values count as dropped.
    ///
    /// The loop unsubscribes when it ends for any reason: `break`, an error, the end or a cancellation. Taking a
    /// buffered value does not suspend, and a loop on an actor stays on it while it waits.
    @inlinable
    public var values: FutureStreamValues<T> { values(buffering: .unbounded) }

    /// The values, for a `for try await` loop with a bounded buffer: see ``values``.
    ///
    /// - Parameter policy: Decides what to do with values that arrive faster than the loop takes them. A failure that
    ///   the buffer drops is thrown all the same, in its place; with `failing`, the overflow is.
    @inlinable
    public func values(buffering policy: StreamBufferingPolicy) -> FutureStreamValues<T> {
        FutureStreamValues(self, policy)
    }

    /// The values and errors, for a `for await` loop that continues after a failure.
    ///
    ///     for await result in positions.results {
    ///         switch result {
    ///         case .success(let position): show(position)
    ///         case .failure(let error): show(error)
    ///         }
    ///     }
    ///
    /// It subscribes, buffers and ends like ``values``, but never throws: if the task or the stream is canceled, the
    /// last element is `.failure(CancellationError())`. So a cancellation differs from the end of the stream.
    @inlinable
    public var results: FutureStreamResults<T> { results(buffering: .unbounded) }

    /// The values and errors, for a loop with a bounded buffer: see ``results``.
    ///
    /// - Parameter policy: Decides what to do with elements that arrive faster than the loop takes them.
    @inlinable
    public func results(buffering policy: StreamBufferingPolicy) -> FutureStreamResults<T> {
        FutureStreamResults(self, policy)
    }

    /// Subscribes now and returns the elements for a later loop, so that none is lost in between.
    ///
    ///     let replies = connection.messages.subscription()
    ///     connection.send("How are you?")
    ///     for try await reply in replies { show(reply) }
    ///
    /// - Parameter policy: Decides what to do with elements that arrive faster than the loop takes them.
    @inlinable
    public func subscription(buffering policy: StreamBufferingPolicy = .unbounded) -> FutureStreamSubscription<T> {
        FutureStreamSubscription(self, policy)
    }
}
