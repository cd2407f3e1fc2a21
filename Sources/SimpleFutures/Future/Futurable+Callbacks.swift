extension Futurable {
    /// Runs a closure with the value, if there comes one.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs.
    ///   - cancelToken: Detaches the closure, which then never runs.
    ///   - completion: Runs once at the most; it is released when it has run or can run no more.
    @preconcurrency @inlinable
    public func onSuccess(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (T) -> Void
    ) {
        asFuture(cancelToken: cancelToken).observe(.success, on: context, under: cancelToken) { source, _ in
            completion(source.settledValue(as: T.self))
        }
    }

    /// Runs a closure with the error, if there comes one.
    ///
    /// Cancellation by a token is no failure.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs.
    ///   - cancelToken: Detaches the closure, which then never runs.
    ///   - completion: Runs once at the most; it is released when it has run or can run no more.
    @preconcurrency
    public func onFailure(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (any Error) -> Void
    ) {
        asFuture(cancelToken: cancelToken).observe(.failure, on: context, under: cancelToken) { source, _ in
            if let error = source.error { completion(error) }
        }
    }

    /// Runs one closure for a value, another for an error, and a third one for both: any of them may be left out.
    ///
    ///     profile.on(
    ///         success: { show($0) }, failure: { report($0) },
    ///         completion: { _ in spinner.stop() })
    ///
    /// They are one callback: those that are called are called right after each other, `completion` last. After a
    /// cancellation none is.
    ///
    /// - Parameters:
    ///   - context: Where the closures run.
    ///   - cancelToken: Detaches the closures, which then never run.
    ///   - success: Called with the value.
    ///   - failure: Called with the error.
    ///   - completion: Called with the result.
    public func on(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        success: (@Sendable (T) -> Void)? = nil, failure: (@Sendable (any Error) -> Void)? = nil,
        completion: (@Sendable (Try<T>) -> Void)? = nil
    ) {
        onComplete(context: context, cancelToken: cancelToken) { result in
            switch result {
            case .success(let value): success?(value)
            case .failure(let error): failure?(error)
            }
            completion?(result)
        }
    }
}
