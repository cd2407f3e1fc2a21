extension FutureStream {
    /// Runs a closure with each element, whether value or error.
    ///
    /// It gets the replayed elements first, then new ones.
    ///
    /// - Parameters:
    ///   - context: Runs the closure, for one element at a time.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once per element. It is released when the stream has ended or the registration is canceled.
    @preconcurrency @inlinable
    public func onComplete(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Try<T>) -> Void
    ) {
        core.subscribe(.elements, on: context, under: cancelToken) { event, _ in completion(event.result(as: T.self)) }
    }

    /// Runs a closure with each value.
    ///
    /// It gets the replayed values first, then new ones. It may have received the whole replay before the next callback is
    /// registered; on an immediate context, outside callbacks of the library, it always has. If the order of values and
    /// errors matters, use ``onComplete(context:cancelToken:completion:)->()``.
    ///
    /// - Parameters:
    ///   - context: Runs the closure, for one value at a time.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once per value. It is released when the stream has ended or the registration is canceled.
    @preconcurrency @inlinable
    public func onSuccess(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (T) -> Void
    ) {
        core.subscribe(.success, on: context, under: cancelToken) { event, _ in completion(event.value(as: T.self)) }
    }

    /// Runs a closure with each error.
    ///
    /// It gets the replayed errors first, then new ones. Cancellation by a token is not a failure.
    ///
    /// - Parameters:
    ///   - context: Runs the closure, for one error at a time.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once per error. It is released when the stream has ended or the registration is canceled.
    @preconcurrency
    public func onFailure(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (any Error) -> Void
    ) {
        core.subscribe(.failure, on: context, under: cancelToken) { event, _ in
            if let error = event.error { completion(error) }
        }
    }

    /// Runs a closure when the stream finishes, after its last element.
    ///
    /// On one queue it runs after all callbacks have received that element. It also runs if the stream has already
    /// finished. `onFinish` alone does not keep a stream alive: a derived stream that your code does not hold is canceled when its last
    /// other subscriber has left.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs once. It is released without running if the stream is canceled instead.
    /// - Returns: This stream, for the next callback.
    @preconcurrency @discardableResult
    public func onFinish(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ completion: @escaping @Sendable () -> Void
    ) -> FutureStream<T> {
        core.subscribe(.finish, on: context, under: cancelToken) { _, _ in completion() }
        return self
    }

    /// Runs a closure when a token cancels the stream, or the stream it is derived from.
    ///
    /// It also runs when a derived stream that your code does not hold has lost its last subscriber. It does not count
    /// as a subscriber itself.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure is released without running.
    ///   - completion: Runs once, after the last element. It is released without running if the stream finishes
    ///     instead.
    /// - Returns: This stream, for the next callback.
    @preconcurrency @discardableResult
    public func onCancel(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ completion: @escaping @Sendable () -> Void
    ) -> FutureStream<T> {
        core.subscribe(.cancellation, on: context, under: cancelToken) { _, _ in completion() }
        return self
    }
}
