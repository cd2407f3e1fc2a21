// `flatMap` is one declaration for futures and streams, as is `recoverWith`: two could not be told apart before all the
// closures of a chain are type-checked, which takes seconds for a dozen.

extension FutureStream {
    /// Returns a stream of the results of the futures, or the elements of the streams, that a closure makes of each value.
    ///
    ///     // A request for each: `place` returns a future.
    ///     let places = positions.flatMap { geocoder.place(at: $0) }
    ///     // All of each device: `readings` is a stream.
    ///     let readings = devices.flatMap { $0.readings }
    ///
    /// What comes first is emitted first: a slow future is overtaken, the elements of several streams mix. Failures
    /// pass the closure by. The new stream finishes when this one and all that was made have ended; if one of those was
    /// canceled, it ends canceled: if this stream is canceled, what was made before is heard to its end first.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. What it makes emits into the new stream without a thread hop.
    ///   - cancelToken: Detaches the closure, and the new stream from what was made; it is then canceled.
    ///   - mapping: Runs once per value, and returns a ``Future`` or a ``FutureStream``. If it throws, the error is a failure of
    ///     the new stream, which goes on.
    @preconcurrency @inlinable
    public func flatMap<Inner: FutureStreamConvertible>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> Inner
    ) -> FutureStream<Inner.T> {
        derive(.success, on: context, under: cancelToken) { event, target in
            target.join(under: cancelToken) { try mapping(event.value(as: T.self)) }
        }
    }
}
