// The names and labels that streams had in BlueCap's SimpleFutures 0.1, for the compiler's fix-its. As in
// DeprecatedFutures.swift, none of them may be a candidate for a call in today's spelling.

extension FutureStream {
    /// The former name of ``onComplete(context:cancelToken:completion:)->()``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "onComplete(context:cancelToken:completion:)")
    @preconcurrency @_disfavoredOverload
    public func onComplete(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        complete: @escaping @Sendable (Try<T>) -> Void
    ) {
        onComplete(context: executionContext, cancelToken: cancelToken, completion: complete)
    }

    /// The former name of ``onSuccess(context:cancelToken:completion:)->()``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "onSuccess(context:cancelToken:completion:)")
    @preconcurrency @_disfavoredOverload
    public func onSuccess(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        success: @escaping @Sendable (T) -> Void
    ) {
        onSuccess(context: executionContext, cancelToken: cancelToken, completion: success)
    }

    /// The former name of ``onFailure(context:cancelToken:completion:)->()``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "onFailure(context:cancelToken:completion:)")
    @preconcurrency @_disfavoredOverload
    public func onFailure(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        failure: @escaping @Sendable (any Error) -> Void
    ) {
        onFailure(context: executionContext, cancelToken: cancelToken, completion: failure)
    }

    /// The former ``map(context:cancelToken:mapping:)``, whose closure returned a `Try`.
    @available(
        swift, deprecated: 5, obsoleted: 6,
        message: "use `map(context:mapping:)`; its closure returns the value, or throws"
    )
    @preconcurrency @_disfavoredOverload
    public func map<M: Sendable>(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> Try<M>
    ) -> FutureStream<M> {
        map(context: executionContext, cancelToken: cancelToken) { try mapping($0).get() }
    }

    /// The former ``recover(context:cancelToken:recovery:)``, whose closure returned a `Try`.
    @available(
        swift, deprecated: 5, obsoleted: 6,
        message: "use `recover(context:recovery:)`; its closure returns the value, or throws"
    )
    @preconcurrency @_disfavoredOverload
    public func recover(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> Try<T>
    ) -> FutureStream<T> {
        recover(context: executionContext, cancelToken: cancelToken) { try recovery($0).get() }
    }

    /// The former name of ``flatMap(context:cancelToken:mapping:)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "flatMap(context:cancelToken:mapping:)")
    @preconcurrency
    public func flatmap<Inner: FutureStreamConvertible>(
        executionContext: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> Inner
    ) -> FutureStream<Inner.T> {
        flatMap(context: executionContext, cancelToken: cancelToken, mapping: mapping)
    }

    /// The former name of ``recoverWith(context:cancelToken:recovery:)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "recoverWith(context:cancelToken:recovery:)")
    @preconcurrency @_disfavoredOverload
    public func recoverWith<Inner: FutureStreamConvertible>(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> Inner
    ) -> FutureStream<T> where Inner.T == T {
        recoverWith(context: executionContext, cancelToken: cancelToken, recovery: recovery)
    }

    /// The former name of ``withFilter(context:cancelToken:filter:)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "withFilter(context:cancelToken:filter:)")
    @preconcurrency @_disfavoredOverload
    public func withFilter(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        filter: @escaping @Sendable (T) throws -> Bool
    ) -> FutureStream<T> {
        withFilter(context: executionContext, cancelToken: cancelToken, filter: filter)
    }

    /// The former name of ``forEach(context:cancelToken:apply:)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "forEach(context:cancelToken:apply:)")
    @preconcurrency
    public func foreach(
        executionContext: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        apply: @escaping @Sendable (T) -> Void
    ) {
        forEach(context: executionContext, cancelToken: cancelToken, apply: apply)
    }

    /// The former ``andThen(context:cancelToken:completion:)``, whose closure got errors too.
    @available(
        swift, deprecated: 5, obsoleted: 6,
        message: "use `andThen(context:completion:)` for values; for errors too, `mapError(context:mapping:)` after it"
    )
    @preconcurrency @_disfavoredOverload
    public func andThen(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        complete: @escaping @Sendable (Try<T>) -> Void
    ) -> FutureStream<T> {
        derive(.elements, on: executionContext, under: cancelToken) { event, target in
            let result = event.result(as: T.self)
            complete(result)
            target.pass(result)
        }
    }

    /// The former name of ``completeWith(context:future:)-(_,Future<T>)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:future:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, future: Future<T>) {
        completeWith(context: executionContext, future: future)
    }

    /// The former name of ``completeWith(context:stream:)-(_,FutureStream<T>)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:stream:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, stream: FutureStream<T>) {
        completeWith(context: executionContext, stream: stream)
    }
}

extension StreamPromise {
    /// The former name of ``stream``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "stream")
    public var future: FutureStream<T> { stream }

    /// The former name of ``completeWith(context:future:)-(_,Future<T>)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:future:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, future: Future<T>) {
        completeWith(context: executionContext, future: future)
    }

    /// The former name of ``completeWith(context:stream:)-(_,FutureStream<T>)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:stream:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, stream: FutureStream<T>) {
        completeWith(context: executionContext, stream: stream)
    }
}

extension Future {
    /// The former name of ``Futurable/flatMap(capacity:context:cancelToken:fileID:line:mapping:)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "flatMap(capacity:context:cancelToken:mapping:)")
    @preconcurrency
    public func flatmap<M: Sendable>(
        capacity: Int = Int.max, executionContext: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, mapping: @escaping @Sendable (T) throws -> FutureStream<M>
    ) -> FutureStream<M> {
        flatMap(capacity: capacity, context: executionContext, cancelToken: cancelToken, mapping: mapping)
    }

    /// The former name of ``Futurable/recoverWith(capacity:context:cancelToken:fileID:line:recovery:)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "recoverWith(capacity:context:cancelToken:recovery:)")
    @preconcurrency @_disfavoredOverload
    public func recoverWith(
        capacity: Int = Int.max, executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> FutureStream<T>
    ) -> FutureStream<T> {
        recoverWith(capacity: capacity, context: executionContext, cancelToken: cancelToken, recovery: recovery)
    }

    /// The former name of ``completeWith(context:stream:)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:stream:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, stream: FutureStream<T>) {
        completeWith(context: executionContext, stream: stream)
    }
}
