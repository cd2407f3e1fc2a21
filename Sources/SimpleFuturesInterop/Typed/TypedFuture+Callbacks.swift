public import SimpleFutures

extension TypedFuture {
    /// Runs a closure with the result.
    ///
    /// It does not run if the future is canceled; use ``onCancel(context:cancelToken:_:)`` for that. Returns the
    /// future, so that callbacks chain.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once.
    @_disfavoredOverload @inlinable @discardableResult
    public func onResult(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Result<T, Stopped<Failure>>) -> Void
    ) -> Self {
        future.onResult(
            throwing: Stopped<Failure>.self, context: context, cancelToken: cancelToken, completion: completion)
        return self
    }

    /// Runs a closure on the caller's actor with the result.
    ///
    ///     login(name).onResult(isolated: { self.show($0) })
    ///
    /// It does not run if the future is canceled; use ``onCancel(context:cancelToken:_:)`` for that. Returns the
    /// future, so that callbacks chain.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once.
    @_disfavoredOverload @discardableResult
    public func onResult(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion:
            @escaping @isolated(any) @Sendable (
                Result<T, Stopped<Failure>>
            ) -> Void
    ) -> Self {
        future.onResult(throwing: Stopped<Failure>.self, cancelToken: cancelToken, isolated: completion)
        return self
    }

    /// Runs a closure with the error.
    ///
    /// It does not run if the future is canceled; use ``onCancel(context:cancelToken:_:)`` for that.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once.
    @_disfavoredOverload @discardableResult
    public func onFailure(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Stopped<Failure>) -> Void
    ) -> Self {
        future.onFailure(context: context, cancelToken: cancelToken) { completion(.converted($0)) }
        return self
    }

    /// Runs a closure on the caller's actor with the error.
    ///
    /// It does not run if the future is canceled; use ``onCancel(context:cancelToken:_:)`` for that.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once.
    @_disfavoredOverload @discardableResult
    public func onFailure(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (Stopped<Failure>) -> Void
    ) -> Self {
        onFailure(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion, runs: .once))
        return self
    }
}

extension TypedFuture where Failure: FailureConvertible {
    /// Runs a closure with the result.
    ///
    /// It does not run if the future is canceled; use ``onCancel(context:cancelToken:_:)`` for that. Returns the
    /// future, so that callbacks chain.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once.
    @inlinable @discardableResult
    public func onResult(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Result<T, Failure>) -> Void
    ) -> Self {
        future.onResult(throwing: Failure.self, context: context, cancelToken: cancelToken, completion: completion)
        return self
    }

    /// Runs a closure on the caller's actor with the result.
    ///
    ///     login(name).onResult(isolated: { self.show($0) })
    ///
    /// It does not run if the future is canceled; use ``onCancel(context:cancelToken:_:)`` for that. Returns the
    /// future, so that callbacks chain.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once.
    @discardableResult
    public func onResult(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion:
            @escaping @isolated(any) @Sendable (Result<T, Failure>) -> Void
    ) -> Self {
        future.onResult(throwing: Failure.self, cancelToken: cancelToken, isolated: completion)
        return self
    }

    /// Runs a closure with the error.
    ///
    /// It does not run if the future is canceled; use ``onCancel(context:cancelToken:_:)`` for that.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once.
    @discardableResult
    public func onFailure(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Failure) -> Void
    ) -> Self {
        future.onFailure(context: context, cancelToken: cancelToken) { completion(.converted($0)) }
        return self
    }

    /// Runs a closure on the caller's actor with the error.
    ///
    /// It does not run if the future is canceled; use ``onCancel(context:cancelToken:_:)`` for that.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once.
    @discardableResult
    public func onFailure(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (Failure) -> Void
    ) -> Self {
        onFailure(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion, runs: .once))
        return self
    }
}

extension TypedFuture {
    /// Runs a closure with the value.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once.
    @discardableResult
    public func onSuccess(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (T) -> Void
    ) -> Self {
        future.onSuccess(context: context, cancelToken: cancelToken, completion: completion)
        return self
    }

    /// Runs a closure on the caller's actor with the value.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once.
    @discardableResult
    public func onSuccess(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (T) -> Void
    ) -> Self {
        future.onSuccess(cancelToken: cancelToken, isolated: completion)
        return self
    }

    /// Runs a closure if the future is canceled.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure is released without running.
    ///   - completion: Runs at most once.
    @discardableResult
    public func onCancel(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ completion: @escaping @Sendable () -> Void
    ) -> Self {
        future.onCancel(context: context, cancelToken: cancelToken, completion)
        return self
    }

    /// Runs a closure on the caller's actor if the future is canceled.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure is released without running.
    ///   - completion: Runs at most once.
    @discardableResult
    public func onCancel(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable () -> Void
    ) -> Self {
        future.onCancel(cancelToken: cancelToken, isolated: completion)
        return self
    }
}
