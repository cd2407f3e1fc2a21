public import SimpleFutures

extension Futurable {
    /// Runs a closure on the caller's actor with the value.
    ///
    ///     final class ProfileModel {                          // on the main actor
    ///         func load() { client.profile().onSuccess(isolated: { self.name = $0.name }) }
    ///     }
    ///
    /// The closure can use the actor's state like the code around it. Outside an actor it runs on
    /// `QueueContext.futuresDefault`. It returns this future, so that callbacks chain.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once; it is released when it has run or can run no more.
    @_disfavoredOverload @discardableResult
    public func onSuccess(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (T) -> Void
    ) -> Self {
        let _: Void = onSuccess(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
        return self
    }

    /// Runs a closure on the caller's actor with the error.
    ///
    /// Cancellation by a token is not a failure. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once; it is released when it has run or can run no more.
    @_disfavoredOverload @discardableResult
    public func onFailure(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (any Error) -> Void
    ) -> Self {
        let _: Void = onFailure(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
        return self
    }

    /// Runs a closure on the caller's actor with the result.
    ///
    /// It does not run if the future is canceled. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once; it is released when it has run or can run no more.
    @_disfavoredOverload @discardableResult
    public func onComplete(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (Try<T>) -> Void
    ) -> Self {
        let _: Void = onComplete(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
        return self
    }

    /// Returns a future of the closure's result for the value, run on the caller's actor.
    ///
    ///     let title = client.profile().map(isolated: { self.format($0) })    // on the main actor
    ///
    /// Failures and cancellations skip the closure. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - mapping: Runs at most once. If it throws, the new future fails.
    @_disfavoredOverload
    public func map<M: Sendable>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated mapping: @escaping @isolated(any) @Sendable (T) throws -> M
    ) -> Future<M> {
        map(
            context: IsolatedCallback.context(of: mapping.isolation), cancelToken: cancelToken,
            mapping: IsolatedCallback.bare(mapping))
    }

    /// Returns a future of the result of the future that a closure, run on the caller's actor, returns for the value.
    ///
    ///     let photo = client.profile().flatMap(isolated: { self.cache.photo(of: $0) })    // on the main actor
    ///
    /// Failures and cancellations skip the closure. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: Cancels the closure, or, after it has run, the link to the inner future, and the new future.
    ///   - mapping: Runs at most once. If it throws, the new future fails.
    @_disfavoredOverload
    public func flatMap<M: Sendable>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated mapping: @escaping @isolated(any) @Sendable (T) throws -> Future<M>
    ) -> Future<M> {
        flatMap(
            context: IsolatedCallback.context(of: mapping.isolation), cancelToken: cancelToken,
            mapping: IsolatedCallback.bare(mapping))
    }

    /// Returns a future of the value, or of the closure's result for the error, run on the caller's actor.
    ///
    /// Values and cancellations skip the closure. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - recovery: Runs at most once. If it throws, the new future fails.
    @_disfavoredOverload
    public func recover(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated recovery: @escaping @isolated(any) @Sendable (any Error) throws -> T
    ) -> Future<T> {
        recover(
            context: IsolatedCallback.context(of: recovery.isolation), cancelToken: cancelToken,
            recovery: IsolatedCallback.bare(recovery))
    }
}

extension AnyFuture {
    /// Runs a closure on the caller's actor when a token cancels this future, or the future it is derived from.
    ///
    /// - Parameter completion: Runs once. It is released without running if the future is completed instead.
    @_disfavoredOverload
    public func onCancel(
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable () -> Void
    ) {
        onCancel(context: IsolatedCallback.context(of: completion.isolation), IsolatedCallback.bare(completion))
    }
}
