extension FutureStream {
    /// Returns a stream of the same values, in which a closure replaces each failure with a value.
    ///
    /// It ends like this stream.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. Values go through it too, so that elements keep their order.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - recovery: Runs once per failure. If it throws, the error is a failure of the new stream, which continues.
    @preconcurrency @inlinable
    public func recover(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> T
    ) -> FutureStream<T> {
        derive(.elements, on: context, under: cancelToken) { event, target in
            guard let error = event.error else { return target.pass(event.result(as: T.self)) }
            target.pass { try recovery(error) }
        }
    }

    /// Returns a stream of the same values, in which a closure replaces each failure with the elements of a future or
    /// stream.
    ///
    /// Elements are emitted as they arrive, so later elements may overtake a recovery. The new stream ends when this
    /// stream and all inner ones have ended; if any of them was canceled, it ends as canceled.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. Values go through it too, so that elements keep their order.
    ///   - cancelToken: When canceled, cancels the closure, the links to the inner ones, and the new stream.
    ///   - recovery: Runs once per failure, and returns a ``Future``, a ``FutureStream``, or nil for no element. If it
    ///     throws, the error is a failure of the new stream, which continues.
    @preconcurrency @inlinable
    public func recoverWith<Inner: FutureStreamConvertible>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> Inner
    ) -> FutureStream<T> where Inner.T == T {
        derive(.elements, on: context, under: cancelToken) { event, target in
            guard let error = event.error else { return target.pass(event.result(as: T.self)) }
            target.join(under: cancelToken) { try recovery(error) }
        }
    }

    /// Returns a stream of the same values, in which a closure replaces the error of each failure.
    ///
    /// It ends like this stream.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. Values go through it too, so that elements keep their order.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - mapping: Runs once per failure.
    @preconcurrency @inlinable
    public func mapError(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (any Error) -> any Error
    ) -> FutureStream<T> {
        derive(.elements, on: context, under: cancelToken) { event, target in
            guard let error = event.error else { return target.pass(event.result(as: T.self)) }
            target.emit(error: mapping(error))
        }
    }
}
