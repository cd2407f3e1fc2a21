public import SimpleFutures

extension Futurable {
    /// Runs a closure on the caller's actor with the value.
    ///
    ///     @MainActor final class ProfileModel {
    ///         var name = ""
    ///         func load() { client.profile().onSuccess(isolated: { self.name = $0.name }) }
    ///     }
    ///
    /// The closure can use the actor's state like the code around it. Outside an actor it runs on
    /// `QueueContext.futuresDefault`. It returns this future, so that callbacks chain.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once; it is released when it has run or can run no more, on the actor.
    @_disfavoredOverload @discardableResult
    public func onSuccess(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (T) -> Void
    ) -> Self {
        let _: Void = onSuccess(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion, runs: .once))
        return self
    }

    /// Runs a closure on the caller's actor with the error.
    ///
    /// Cancellation by a token is not a failure. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once; it is released when it has run or can run no more, on the actor.
    @_disfavoredOverload @discardableResult
    public func onFailure(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (any Error) -> Void
    ) -> Self {
        let _: Void = onFailure(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion, runs: .once))
        return self
    }

    /// Runs a closure on the caller's actor with the result.
    ///
    /// It does not run if the future is canceled. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once; it is released when it has run or can run no more, on the actor.
    @_disfavoredOverload @discardableResult
    public func onComplete(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (Try<T>) -> Void
    ) -> Self {
        let _: Void = onComplete(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion, runs: .once))
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
            mapping: IsolatedCallback.bare(mapping, runs: .once))
    }

    /// Returns a future of the result of the future that a closure, run on the caller's actor, returns for the value.
    ///
    ///     let photo = client.profile().flatMap(isolated: { self.photo(of: $0) })    // on the main actor
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
            mapping: IsolatedCallback.bare(mapping, runs: .once))
    }

    /// Returns a future of the same value, or a failure with `FuturesError.noSuchElement` if a closure, run on the
    /// caller's actor, returns false.
    ///
    ///     let news = client.profile().filter(isolated: { $0.name != self.name })    // on the main actor
    ///
    /// Failures and cancellations skip the closure. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - isIncluded: Runs at most once. If it throws, the new future fails.
    @_disfavoredOverload
    public func filter(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated isIncluded: @escaping @isolated(any) @Sendable (T) throws -> Bool
    ) -> Future<T> {
        filter(
            context: IsolatedCallback.context(of: isIncluded.isolation), cancelToken: cancelToken,
            IsolatedCallback.bare(isIncluded, runs: .once))
    }

    /// Returns a future of the result of a closure, run on the caller's actor, or a failure with
    /// `FuturesError.noSuchElement` if that is nil.
    ///
    /// Failures and cancellations skip the closure. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - transform: Runs at most once. If it throws, the new future fails.
    @_disfavoredOverload
    public func compactMap<M: Sendable>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated transform: @escaping @isolated(any) @Sendable (T) throws -> M?
    ) -> Future<M> {
        compactMap(
            context: IsolatedCallback.context(of: transform.isolation), cancelToken: cancelToken,
            IsolatedCallback.bare(transform, runs: .once))
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
            recovery: IsolatedCallback.bare(recovery, runs: .once))
    }

    /// Returns a future of the same value, or with the error that a closure, run on the caller's actor, returns.
    ///
    /// Values and cancellations skip the closure. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - mapping: Runs at most once.
    @_disfavoredOverload
    public func mapError(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated mapping: @escaping @isolated(any) @Sendable (any Error) -> any Error
    ) -> Future<T> {
        let context = IsolatedCallback.context(of: mapping.isolation)
        let mapping = IsolatedCallback.bare(mapping, runs: .once)
        return recover(context: context, cancelToken: cancelToken) { throw try mapping($0) }
    }

    /// Returns a future of the same value, or the result of the future that a closure, run on the caller's actor,
    /// returns for the error.
    ///
    /// Values and cancellations skip the closure. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: Cancels the closure, or, after it has run, the link to the inner future, and the new future.
    ///   - recovery: Runs at most once. If it throws, the new future fails.
    @_disfavoredOverload
    public func recoverWith(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated recovery:
            @escaping @isolated(any) @Sendable (any Error) throws ->
            Future<T>
    ) -> Future<T> {
        recoverWith(
            context: IsolatedCallback.context(of: recovery.isolation), cancelToken: cancelToken,
            recovery: IsolatedCallback.bare(recovery, runs: .once))
    }

    /// Returns a future with the same result, after running a closure with the value on the caller's actor: for side
    /// effects in a chain.
    ///
    /// Failures and cancellations skip the closure. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - completion: Runs at most once.
    @_disfavoredOverload
    public func andThen(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (T) -> Void
    ) -> Future<T> {
        andThen(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion, runs: .once))
    }

    /// Returns a future with the same result, after running a closure on the caller's actor in any case: success,
    /// failure or cancellation.
    ///
    ///     isBusy = true
    ///     client.profile()
    ///         .ensure(isolated: { self.isBusy = false })    // on the main actor
    ///         .onSuccess(isolated: { self.name = $0.name })
    ///
    /// A token cannot cancel the closure. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameter cleanUp: Runs once, when this future has ended, also after a broken promise. Then the new future
    ///   ends like this one.
    @_disfavoredOverload
    @discardableResult
    public func ensure(
        @_inheritActorContext(always) isolated cleanUp: @escaping @isolated(any) @Sendable () -> Void
    ) -> Future<T> {
        ensure(context: IsolatedCallback.context(of: cleanUp.isolation), IsolatedCallback.bare(cleanUp, runs: .once))
    }
}

extension AnyFuture {
    /// Runs a closure on the caller's actor when a token cancels this future, or the future it is derived from.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure is released without running.
    ///   - completion: Runs once. It is released without running if the future is completed instead.
    /// - Returns: This future, for the next callback.
    @_disfavoredOverload @discardableResult
    public func onCancel(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable () -> Void
    ) -> Self {
        onCancel(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            IsolatedCallback.bare(completion, runs: .once))
    }
}
