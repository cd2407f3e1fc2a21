// As for futures: overloads of the callbacks that return the stream.

extension FutureStream {
    /// Runs a closure with each element, whether value or error, and returns this stream, for the next callback.
    ///
    /// - Parameters:
    ///   - context: Runs the closure, for one element at a time.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once per element. It is released when the stream has ended or the registration is canceled.
    @preconcurrency @_disfavoredOverload @discardableResult
    public func onComplete(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Try<T>) -> Void
    ) -> FutureStream<T> {
        let _: Void = onComplete(context: context, cancelToken: cancelToken, completion: completion)
        return self
    }

    /// Runs a closure with each value, and returns this stream, for the next callback.
    ///
    /// - Parameters:
    ///   - context: Runs the closure, for one value at a time.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once per value. It is released when the stream has ended or the registration is canceled.
    @preconcurrency @_disfavoredOverload @discardableResult
    public func onSuccess(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (T) -> Void
    ) -> FutureStream<T> {
        let _: Void = onSuccess(context: context, cancelToken: cancelToken, completion: completion)
        return self
    }

    /// Runs a closure with each error, and returns this stream, for the next callback.
    ///
    /// - Parameters:
    ///   - context: Runs the closure, for one error at a time.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once per error. It is released when the stream has ended or the registration is canceled.
    @preconcurrency @_disfavoredOverload @discardableResult
    public func onFailure(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (any Error) -> Void
    ) -> FutureStream<T> {
        let _: Void = onFailure(context: context, cancelToken: cancelToken, completion: completion)
        return self
    }
}
