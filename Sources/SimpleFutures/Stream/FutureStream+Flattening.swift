// `flatMap` and `recoverWith` have one declaration each for futures and streams: with two, the compiler could choose
// only after it has type-checked all closures of a chain, which takes seconds for a dozen.

extension FutureStream {
    /// Returns a stream of all elements of the futures or streams that a closure returns for each value.
    ///
    ///     // A request for each: `load` returns a future.
    ///     let pages = links.flatMap { client.load($0) }
    ///     // All of each device: `readings` is a stream.
    ///     let readings = devices.flatMap { $0.readings() }
    ///
    /// Elements are emitted as they arrive: faster futures overtake slower ones, and the elements of several streams
    /// mix. Failures skip the closure. The new stream ends when this stream and all inner ones have ended. If any of
    /// them was canceled, it ends as canceled; if this stream is canceled, the elements of existing inner ones are
    /// still emitted.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. Inner futures and streams emit into the new stream without a
    ///     thread hop.
    ///   - cancelToken: When canceled, cancels the closure, the links to the inner ones, and the new stream.
    ///   - mapping: Runs once per value, and returns a ``Future``, a ``FutureStream``, or nil for no element. If it
    ///     throws, the error is a failure of the new stream, which continues.
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
