// The names and labels that streams had in BlueCap's SimpleFutures 0.1, for the compiler's fix-its. What
// DeprecatedFutures.swift says holds here too: none of them may be a candidate where a call is spelled as it is today.

extension FutureStream {
    /// What ``onComplete(context:cancelToken:completion:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "onComplete(context:cancelToken:completion:)")
    @preconcurrency @_disfavoredOverload
    public func onComplete(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        complete: @escaping @Sendable (Try<T>) -> Void
    ) {
        onComplete(context: executionContext, cancelToken: cancelToken, completion: complete)
    }

    /// What ``onSuccess(context:cancelToken:completion:)->()`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "onSuccess(context:cancelToken:completion:)")
    @preconcurrency @_disfavoredOverload
    public func onSuccess(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        success: @escaping @Sendable (T) -> Void
    ) {
        onSuccess(context: executionContext, cancelToken: cancelToken, completion: success)
    }

    /// What ``onFailure(context:cancelToken:completion:)->()`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "onFailure(context:cancelToken:completion:)")
    @preconcurrency @_disfavoredOverload
    public func onFailure(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        failure: @escaping @Sendable (any Error) -> Void
    ) {
        onFailure(context: executionContext, cancelToken: cancelToken, completion: failure)
    }

    /// What ``map(context:cancelToken:mapping:)`` was when its closure returned a `Try`.
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

    /// What ``recover(context:cancelToken:recovery:)`` was when its closure returned a `Try`.
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

    /// What ``flatMap(context:cancelToken:mapping:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "flatMap(context:cancelToken:mapping:)")
    @preconcurrency
    public func flatmap<Inner: FutureStreamConvertible>(
        executionContext: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> Inner
    ) -> FutureStream<Inner.T> {
        flatMap(context: executionContext, cancelToken: cancelToken, mapping: mapping)
    }

    /// What ``recoverWith(context:cancelToken:recovery:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "recoverWith(context:cancelToken:recovery:)")
    @preconcurrency @_disfavoredOverload
    public func recoverWith<Inner: FutureStreamConvertible>(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> Inner
    ) -> FutureStream<T> where Inner.T == T {
        recoverWith(context: executionContext, cancelToken: cancelToken, recovery: recovery)
    }

    /// What ``withFilter(context:cancelToken:filter:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "withFilter(context:cancelToken:filter:)")
    @preconcurrency @_disfavoredOverload
    public func withFilter(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        filter: @escaping @Sendable (T) throws -> Bool
    ) -> FutureStream<T> {
        withFilter(context: executionContext, cancelToken: cancelToken, filter: filter)
    }

    /// What ``forEach(context:cancelToken:apply:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "forEach(context:cancelToken:apply:)")
    @preconcurrency
    public func foreach(
        executionContext: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        apply: @escaping @Sendable (T) -> Void
    ) {
        forEach(context: executionContext, cancelToken: cancelToken, apply: apply)
    }

    /// What ``andThen(context:cancelToken:completion:)`` was when its closure got errors too.
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

    /// What ``completeWith(context:future:)-(_,Future<T>)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:future:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, future: Future<T>) {
        completeWith(context: executionContext, future: future)
    }

    /// What ``completeWith(context:stream:)-(_,FutureStream<T>)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:stream:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, stream: FutureStream<T>) {
        completeWith(context: executionContext, stream: stream)
    }
}

extension StreamPromise {
    /// What ``stream`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "stream")
    public var future: FutureStream<T> { stream }

    /// What ``completeWith(context:future:)-(_,Future<T>)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:future:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, future: Future<T>) {
        completeWith(context: executionContext, future: future)
    }

    /// What ``completeWith(context:stream:)-(_,FutureStream<T>)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:stream:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, stream: FutureStream<T>) {
        completeWith(context: executionContext, stream: stream)
    }
}

extension Future {
    /// What ``Futurable/flatMap(capacity:context:cancelToken:fileID:line:mapping:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "flatMap(capacity:context:cancelToken:mapping:)")
    @preconcurrency
    public func flatmap<M: Sendable>(
        capacity: Int = Int.max, executionContext: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, mapping: @escaping @Sendable (T) throws -> FutureStream<M>
    ) -> FutureStream<M> {
        flatMap(capacity: capacity, context: executionContext, cancelToken: cancelToken, mapping: mapping)
    }

    /// What ``Futurable/recoverWith(capacity:context:cancelToken:fileID:line:recovery:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "recoverWith(capacity:context:cancelToken:recovery:)")
    @preconcurrency @_disfavoredOverload
    public func recoverWith(
        capacity: Int = Int.max, executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> FutureStream<T>
    ) -> FutureStream<T> {
        recoverWith(capacity: capacity, context: executionContext, cancelToken: cancelToken, recovery: recovery)
    }

    /// What ``completeWith(context:stream:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:stream:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, stream: FutureStream<T>) {
        completeWith(context: executionContext, stream: stream)
    }
}
