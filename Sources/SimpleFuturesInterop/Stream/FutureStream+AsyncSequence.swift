public import SimpleFutures

extension FutureStream {
    /// The values, for a `for try await` loop.
    ///
    ///     for try await position in positions.values { map.show(position) }
    ///
    /// Each loop is a subscription of its own with a buffer of its own, so any number of loops see every value: first
    /// those that the stream keeps, then those to come. Nothing is ever dropped; for a consumer that may be too slow
    /// for good use ``values(buffering:)``.
    ///
    /// **How it ends.** The first failure is thrown after the values before it, and ends the loop. When the stream
    /// finishes, what is in the buffer is delivered first. A stream that is canceled throws `CancellationError` after
    /// what is in the buffer; a task that is canceled throws it at once, and what was in the buffer counts as dropped.
    ///
    /// `break`, an error, the end and a cancellation each unsubscribe. A value that is there already costs no
    /// suspension; an actor that has to wait is not left for it.
    @inlinable
    public var values: FutureStreamValues<T> { values(buffering: .unbounded) }

    /// The values, for a `for try await` loop, with a bound on what is kept for it: see ``values``.
    ///
    /// - Parameter policy: What to do with values that arrive faster than the loop takes them.
    @inlinable
    public func values(buffering policy: StreamBufferingPolicy) -> FutureStreamValues<T> {
        FutureStreamValues(self, policy)
    }

    /// The elements, values and errors alike, for a `for await` loop that goes on after a failure.
    ///
    ///     for await result in positions.results {
    ///         switch result {
    ///         case .success(let position): map.show(position)
    ///         case .failure(let error): status.show(error)
    ///         }
    ///     }
    ///
    /// It subscribes, buffers and ends as ``values`` does, but throws nothing: if the task or the stream is canceled,
    /// the last element is `.failure(CancellationError())`. So a cancellation never looks like the end of the stream.
    @inlinable
    public var results: FutureStreamResults<T> { results(buffering: .unbounded) }

    /// The elements, values and errors alike, with a bound on what is kept for the loop: see ``results``.
    ///
    /// - Parameter policy: What to do with elements that arrive faster than the loop takes them.
    @inlinable
    public func results(buffering policy: StreamBufferingPolicy) -> FutureStreamResults<T> {
        FutureStreamResults(self, policy)
    }

    /// Subscribes now, to iterate later, once, and lose nothing in between.
    ///
    ///     let replies = connection.messages.subscription()
    ///     connection.send(question)
    ///     for try await reply in replies { … }
    ///
    /// - Parameter policy: What to do with elements that arrive faster than the loop takes them.
    @inlinable
    public func subscription(buffering policy: StreamBufferingPolicy = .unbounded) -> FutureStreamSubscription<T> {
        FutureStreamSubscription(self, policy)
    }
}
