public import SimpleFutures

extension FutureStream {
    /// Runs a closure on the caller's actor with each value.
    ///
    ///     positions.onSuccess(cancelToken: token, isolated: { [weak self] in self?.position = $0 })
    ///
    /// The closure can use the actor's state like the code around it. Elements are in order: all isolated callbacks of
    /// one actor run for an element before the next element. Outside an actor the closure runs on
    /// `QueueContext.futuresDefault`.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once per value. It is released when the stream has ended or the registration is canceled.
    @_disfavoredOverload @discardableResult
    public func onSuccess(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (T) -> Void
    ) -> FutureStream<T> {
        let _: Void = onSuccess(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
        return self
    }

    /// Runs a closure on the caller's actor with each error.
    ///
    /// See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once per failure. It is released when the stream has ended or the registration is canceled.
    @_disfavoredOverload @discardableResult
    public func onFailure(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (any Error) -> Void
    ) -> FutureStream<T> {
        let _: Void = onFailure(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
        return self
    }

    /// Runs a closure on the caller's actor with each element.
    ///
    /// See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once per element. It is released when the stream has ended or the registration is canceled.
    @_disfavoredOverload @discardableResult
    public func onComplete(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (Try<T>) -> Void
    ) -> FutureStream<T> {
        let _: Void = onComplete(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
        return self
    }

    /// Runs a closure on the caller's actor when the stream finishes, after its last element.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs once. It is released without running if the stream is canceled instead.
    /// - Returns: This stream, for the next callback.
    @_disfavoredOverload @discardableResult
    public func onFinish(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable () -> Void
    ) -> FutureStream<T> {
        onFinish(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            IsolatedCallback.bare(completion))
    }

    /// Runs a closure on the caller's actor when the stream is canceled.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure is released without running.
    ///   - completion: Runs once, after the last element. It is released without running if the stream finishes
    ///     instead.
    /// - Returns: This stream, for the next callback.
    @_disfavoredOverload @discardableResult
    public func onCancel(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable () -> Void
    ) -> FutureStream<T> {
        onCancel(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            IsolatedCallback.bare(completion))
    }

    /// Returns a stream of the closure's results for each value, run on the caller's actor.
    ///
    ///     let rows = messages.map(isolated: { self.row(for: $0) })    // on the main actor
    ///
    /// Failures skip the closure and keep their position. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - mapping: Runs once per value. If it throws, the error is a failure of the new stream, which continues.
    @_disfavoredOverload
    public func map<M: Sendable>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated mapping: @escaping @isolated(any) @Sendable (T) throws -> M
    ) -> FutureStream<M> {
        map(
            context: IsolatedCallback.context(of: mapping.isolation), cancelToken: cancelToken,
            mapping: IsolatedCallback.bare(mapping))
    }

    /// Returns a stream of the values for which a closure, run on the caller's actor, returns true.
    ///
    ///     let others = messages.filter(isolated: { $0.sender != self.user })    // on the main actor
    ///
    /// Failures skip the closure and keep their position. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - isIncluded: Runs once per value. If it throws, the error is a failure of the new stream, which continues.
    @_disfavoredOverload
    public func filter(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated isIncluded: @escaping @isolated(any) @Sendable (T) throws -> Bool
    ) -> FutureStream<T> {
        filter(
            context: IsolatedCallback.context(of: isIncluded.isolation), cancelToken: cancelToken,
            IsolatedCallback.bare(isIncluded))
    }

    /// Returns a stream of the closure's non-nil results for each value, run on the caller's actor.
    ///
    /// Failures skip the closure and keep their position. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - transform: Runs once per value; nil drops it. If it throws, the error is a failure of the new stream, which
    ///     continues.
    @_disfavoredOverload
    public func compactMap<M: Sendable>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated transform: @escaping @isolated(any) @Sendable (T) throws -> M?
    ) -> FutureStream<M> {
        compactMap(
            context: IsolatedCallback.context(of: transform.isolation), cancelToken: cancelToken,
            IsolatedCallback.bare(transform))
    }

    /// Returns a stream of running results: a closure, run on the caller's actor, combines each value with the last
    /// result.
    ///
    /// Failures skip the closure and keep their position. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - initial: The value to combine with the first value. It is not emitted.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - combine: Runs once per value. If it throws, the error is a failure of the new stream, and the last result is
    ///     unchanged.
    @_disfavoredOverload
    public func scan<R: Sendable>(
        _ initial: R, cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated combine: @escaping @isolated(any) @Sendable (R, T) throws -> R
    ) -> FutureStream<R> {
        scan(
            initial, context: IsolatedCallback.context(of: combine.isolation), cancelToken: cancelToken,
            IsolatedCallback.bare(combine))
    }

    /// Returns a stream without consecutive values that are the same for a closure, run on the caller's actor.
    ///
    /// Failures are passed on and not compared. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - areEqual: Called with the last emitted value and the new one. If it throws, the error replaces the new one.
    @_disfavoredOverload
    public func distinct(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated areEqual: @escaping @isolated(any) @Sendable (T, T) throws -> Bool
    ) -> FutureStream<T> {
        distinct(
            context: IsolatedCallback.context(of: areEqual.isolation), cancelToken: cancelToken,
            by: IsolatedCallback.bare(areEqual))
    }

    /// Returns a stream of the same values, in which a closure, run on the caller's actor, replaces each failure with a
    /// value.
    ///
    /// See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - recovery: Runs once per failure. If it throws, the error is a failure of the new stream, which continues.
    @_disfavoredOverload
    public func recover(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated recovery: @escaping @isolated(any) @Sendable (any Error) throws -> T
    ) -> FutureStream<T> {
        recover(
            context: IsolatedCallback.context(of: recovery.isolation), cancelToken: cancelToken,
            recovery: IsolatedCallback.bare(recovery))
    }

    /// Returns a stream of the same values, in which a closure, run on the caller's actor, replaces the error of each
    /// failure.
    ///
    /// See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - mapping: Runs once per failure.
    @_disfavoredOverload
    public func mapError(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated mapping: @escaping @isolated(any) @Sendable (any Error) -> any Error
    ) -> FutureStream<T> {
        let context = IsolatedCallback.context(of: mapping.isolation)
        let mapping = IsolatedCallback.bare(mapping)
        return recover(context: context, cancelToken: cancelToken) { throw try mapping($0) }
    }

    /// Returns a stream of the same elements, after running a closure with each value on the caller's actor: for side
    /// effects in a chain.
    ///
    /// Failures skip the closure and keep their position. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - completion: Runs once per value.
    @_disfavoredOverload
    public func andThen(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (T) -> Void
    ) -> FutureStream<T> {
        andThen(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
    }
}
