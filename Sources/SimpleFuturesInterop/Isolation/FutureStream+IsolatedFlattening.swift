public import SimpleFutures

// Closures on the caller's actor that return futures or streams.

extension FutureStream {
    /// Returns a stream of all elements of the futures or streams that a closure, run on the caller's actor, returns
    /// for each value.
    ///
    /// For the order of elements see `flatMap(context:cancelToken:mapping:)`, for the closure's actor
    /// ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the closure, the links to the inner ones, and the new stream.
    ///   - mapping: Runs once per value. If it throws, the error is a failure of the new stream, which continues.
    @_disfavoredOverload
    public func flatMap<Inner: FutureStreamConvertible>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated mapping: @escaping @isolated(any) @Sendable (T) throws -> Inner
    ) -> FutureStream<Inner.T> {
        flatMap(
            context: IsolatedCallback.context(of: mapping.isolation), cancelToken: cancelToken,
            mapping: IsolatedCallback.bare(mapping))
    }

    /// Returns a stream of the elements of the latest inner future or stream: a closure, run on the caller's actor,
    /// returns one for each value, and each replaces the one before.
    ///
    ///     let results = queries.flatMapLatest(isolated: { client.search(self.name + $0) })    // on the main actor
    ///
    /// For the order of elements and the end see `flatMapLatest(context:cancelToken:mapping:)`, for the closure's actor
    /// ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the closure, the link to the inner one, and the new stream.
    ///   - mapping: Runs once per value. If it throws, the error is a failure of the new stream, which continues.
    @_disfavoredOverload
    public func flatMapLatest<Inner: FutureStreamConvertible>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated mapping: @escaping @isolated(any) @Sendable (T) throws -> Inner
    ) -> FutureStream<Inner.T> {
        flatMapLatest(
            context: IsolatedCallback.context(of: mapping.isolation), cancelToken: cancelToken,
            mapping: IsolatedCallback.bare(mapping))
    }

    /// Returns a stream of the elements of the latest inner future or stream, and cancels the work of the former one:
    /// a closure, run on the caller's actor, returns one for each value.
    ///
    ///     let pages = links.flatMapLatest(isolated: { [weak self] url, token in    // on the main actor
    ///         self?.load(url, cancelToken: token)
    ///     })
    ///
    /// Like ``flatMapLatest(cancelToken:isolated:)-(_,(T)->Inner)``, with a token for the work of each inner one.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the closure, the link to the inner one, its token, and the new stream.
    ///   - mapping: Runs once per value. Unless the inner one has ended, its token is canceled when the next value
    ///     arrives, before the closure runs, and when the new stream ends, or has neither subscribers nor references any
    ///     more. If the closure throws, the token is canceled, and the error is a failure of the new stream, which
    ///     continues.
    @_disfavoredOverload
    public func flatMapLatest<Inner: FutureStreamConvertible>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always)
        isolated mapping: @escaping @isolated(any) @Sendable (T, CancelToken) throws -> Inner
    ) -> FutureStream<Inner.T> {
        flatMapLatest(
            context: IsolatedCallback.context(of: mapping.isolation), cancelToken: cancelToken,
            mapping: IsolatedCallback.bare(mapping))
    }

    /// Returns a stream of the same values, in which the elements of a future or stream replace each failure: a
    /// closure, run on the caller's actor, returns it.
    ///
    /// For the order of elements and the end see `recoverWith(context:cancelToken:recovery:)`, for the closure's actor
    /// ``onSuccess(cancelToken:isolated:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the closure, the links to the inner ones, and the new stream.
    ///   - recovery: Runs once per failure. If it throws, the error is a failure of the new stream, which continues.
    @_disfavoredOverload
    public func recoverWith<Inner: FutureStreamConvertible>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated recovery: @escaping @isolated(any) @Sendable (any Error) throws -> Inner
    ) -> FutureStream<T> where Inner.T == T {
        recoverWith(
            context: IsolatedCallback.context(of: recovery.isolation), cancelToken: cancelToken,
            recovery: IsolatedCallback.bare(recovery))
    }
}
