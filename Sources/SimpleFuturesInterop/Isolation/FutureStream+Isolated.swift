public import SimpleFutures

extension FutureStream {
    /// Runs a closure on the caller's actor with each value.
    ///
    ///     positions.onSuccess(cancelToken: closed, isolated: { self.position = $0 })
    ///
    /// The closure may use the actor's state as the code around it does. The elements come in order, and all isolated
    /// callbacks of one actor get element by element. Where there is no actor the closure runs on
    /// `QueueContext.futuresDefault`.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once per value. It is released when the stream has ended, or when it is detached.
    @_disfavoredOverload @discardableResult
    public func onSuccess(
        cancelToken: CancelToken = .none,
        @_inheritActorContext isolated completion: @escaping @isolated(any) @Sendable (T) -> Void
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
    ///   - completion: Runs once per failure. It is released when the stream has ended, or when it is detached.
    @_disfavoredOverload @discardableResult
    public func onFailure(
        cancelToken: CancelToken = .none,
        @_inheritActorContext isolated completion: @escaping @isolated(any) @Sendable (any Error) -> Void
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
    ///   - completion: Runs once per element. It is released when the stream has ended, or when it is detached.
    @_disfavoredOverload @discardableResult
    public func onComplete(
        cancelToken: CancelToken = .none,
        @_inheritActorContext isolated completion: @escaping @isolated(any) @Sendable (Try<T>) -> Void
    ) -> FutureStream<T> {
        let _: Void = onComplete(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
        return self
    }

    /// Runs a closure on the caller's actor when the stream finishes: after its last element.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs once. It is released without having run when the stream is canceled instead.
    @_disfavoredOverload
    public func onFinish(
        cancelToken: CancelToken = .none,
        @_inheritActorContext isolated completion: @escaping @isolated(any) @Sendable () -> Void
    ) {
        onFinish(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            IsolatedCallback.bare(completion))
    }

    /// Runs a closure on the caller's actor when the stream is canceled.
    ///
    /// - Parameter completion: Runs once, after the last element. It is released without having run when the stream
    ///   finishes instead.
    @_disfavoredOverload
    public func onCancel(@_inheritActorContext isolated completion: @escaping @isolated(any) @Sendable () -> Void) {
        onCancel(context: IsolatedCallback.context(of: completion.isolation), IsolatedCallback.bare(completion))
    }

    /// Returns a stream of what a closure makes of each value on the caller's actor.
    ///
    ///     let rows = messages.map(isolated: { self.row(for: $0) })    // on the main actor
    ///
    /// Failures skip the closure, in their place in the order. See ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - mapping: Runs once per value. If it throws, the error is a failure of the new stream, which goes on.
    @_disfavoredOverload
    public func map<M: Sendable>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext isolated mapping: @escaping @isolated(any) @Sendable (T) throws -> M
    ) -> FutureStream<M> {
        map(
            context: IsolatedCallback.context(of: mapping.isolation), cancelToken: cancelToken,
            mapping: IsolatedCallback.bare(mapping))
    }

    /// Returns a stream of the results of the futures, or the elements of the streams, that a closure makes of each value on the
    /// caller's actor.
    ///
    /// See `flatMap(context:cancelToken:mapping:)` for what is emitted when, and ``onSuccess(cancelToken:isolated:)``
    /// for where the closure runs.
    ///
    /// - Parameters:
    ///   - cancelToken: Detaches the closure, and the new stream from what was made; it is then canceled.
    ///   - mapping: Runs once per value. If it throws, the error is a failure of the new stream, which goes on.
    @_disfavoredOverload
    public func flatMap<Inner: FutureStreamConvertible>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext isolated mapping: @escaping @isolated(any) @Sendable (T) throws -> Inner
    ) -> FutureStream<Inner.T> {
        flatMap(
            context: IsolatedCallback.context(of: mapping.isolation), cancelToken: cancelToken,
            mapping: IsolatedCallback.bare(mapping))
    }
}
