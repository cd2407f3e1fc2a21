extension Futurable {
    /// Runs a closure with the value, now or later.
    ///
    /// If the future is canceled, it does not run.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once; it is released when it has run or can run no more.
    @preconcurrency @inlinable
    public func onSuccess(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (T) -> Void
    ) {
        asFuture(cancelToken: cancelToken).observe(.success, on: context, under: cancelToken) { source, _ in
            completion(source.settledValue(as: T.self))
        }
    }

    /// Runs a closure with the error.
    ///
    /// A cancellation by a token is not a failure.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once; it is released when it has run or can run no more.
    @preconcurrency
    public func onFailure(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (any Error) -> Void
    ) {
        asFuture(cancelToken: cancelToken).observe(.failure, on: context, under: cancelToken) { source, _ in
            if let error = source.error { completion(error) }
        }
    }

    /// Runs closures for a value, for an error, and for both; each is optional.
    ///
    ///     profile.on(
    ///         context: .global, success: { cache.store($0) }, failure: { log.add("\($0)") },
    ///         completion: { _ in log.flush() })
    ///
    /// They are one callback: they run one right after the other, `completion` last. None runs after a cancellation.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closures.
    ///   - cancelToken: When canceled, the closures do not run.
    ///   - success: Called with the value.
    ///   - failure: Called with the error.
    ///   - completion: Called with the result.
    /// - Returns: This future, for the next callback.
    @inlinable @discardableResult
    public func on(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        success: (@Sendable (T) -> Void)? = nil, failure: (@Sendable (any Error) -> Void)? = nil,
        completion: (@Sendable (Try<T>) -> Void)? = nil
    ) -> Self {
        onComplete(context: context, cancelToken: cancelToken) { result in
            switch result {
            case .success(let value): success?(value)
            case .failure(let error): failure?(error)
            }
            completion?(result)
        }
        return self
    }
}
