// Overloads of the callbacks that return the future, so that callbacks chain. They are disfavored: if the result is
// unused, and in code for SimpleFutures 0.2, the compiler chooses the overloads without a result.

extension Futurable {
    /// Runs a closure with the value, and returns this future, for the next callback.
    ///
    ///     client.profile()
    ///         .onSuccess(isolated: { show($0) })
    ///         .onFailure(isolated: { show($0) })
    ///
    /// Each closure is a callback of this same future and does not affect the next one.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once; it is released when it has run or can run no more.
    @preconcurrency @_disfavoredOverload @discardableResult
    public func onSuccess(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (T) -> Void
    ) -> Self {
        let _: Void = onSuccess(context: context, cancelToken: cancelToken, completion: completion)
        return self
    }

    /// Runs a closure with the error, and returns this future, for the next callback.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once; it is released when it has run or can run no more.
    @preconcurrency @_disfavoredOverload @discardableResult
    public func onFailure(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (any Error) -> Void
    ) -> Self {
        let _: Void = onFailure(context: context, cancelToken: cancelToken, completion: completion)
        return self
    }
}

extension Future {
    /// Runs a closure with the result, and returns this future, for the next callback.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs once, or never if it is canceled with the token or the future is canceled. It is released
    ///     when it has run or can run no more.
    @preconcurrency @_disfavoredOverload @discardableResult
    public func onComplete(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Try<T>) -> Void
    ) -> Self {
        let _: Void = onComplete(context: context, cancelToken: cancelToken, completion: completion)
        return self
    }
}
