extension FutureStream {
    /// Returns a stream of the same values, with what a closure makes of an error in the place of each failure.
    ///
    /// It ends as this stream does.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - recovery: Runs once per failure. If it throws, the error is a failure of the new stream, which goes on.
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

    /// Returns a stream of the same values, with the result of the future, or the elements of the stream, that a closure makes
    /// of an error in the place of each failure.
    ///
    /// What comes first is emitted first, so recoveries may be overtaken. The new stream finishes when this one and all
    /// that was made have ended; if one of those was canceled, it ends canceled.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: Detaches the closure, and the new stream from what was made; it is then canceled.
    ///   - recovery: Runs once per failure, and returns a ``Future`` or a ``FutureStream``. If it throws, the error is a failure
    ///     of the new stream, which goes on.
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

    /// Returns a stream of the same values, with another error in the place of each failure's.
    ///
    /// It ends as this stream does.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
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
