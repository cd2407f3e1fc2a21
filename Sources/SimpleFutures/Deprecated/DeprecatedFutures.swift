// The names and labels of BlueCap's SimpleFutures 0.1, for the compiler's fix-its; those of streams are in
// DeprecatedStreams.swift.
//
// None of them may be a candidate where a call is spelled as it is today: each has a name of its own or asks for a
// label that no other has. Nor may they keep the compiler from suggesting today's spelling, as when `context:` is
// forgotten: so those that share a name have today's parameters, defaults included, and are disfavoured. For
// `completeWith` that does not do: the compiler suggests the old label, and for that one today's.

extension Future {
    /// What ``onComplete(context:cancelToken:completion:)->()`` was called.
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
    ) -> Future<M> {
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
    ) -> Future<T> {
        recover(context: executionContext, cancelToken: cancelToken) { try recovery($0).get() }
    }

    /// What ``flatMap(context:cancelToken:mapping:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "flatMap(context:cancelToken:mapping:)")
    @preconcurrency
    public func flatmap<M: Sendable>(
        executionContext: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> Future<M>
    ) -> Future<M> {
        flatMap(context: executionContext, cancelToken: cancelToken, mapping: mapping)
    }

    /// What ``recoverWith(context:cancelToken:recovery:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "recoverWith(context:cancelToken:recovery:)")
    @preconcurrency @_disfavoredOverload
    public func recoverWith(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> Future<T>
    ) -> Future<T> {
        recoverWith(context: executionContext, cancelToken: cancelToken, recovery: recovery)
    }

    /// What ``withFilter(context:cancelToken:filter:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "withFilter(context:cancelToken:filter:)")
    @preconcurrency @_disfavoredOverload
    public func withFilter(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        filter: @escaping @Sendable (T) throws -> Bool
    ) -> Future<T> {
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

    /// What ``andThen(context:cancelToken:completion:)`` was when its closure got the error too.
    @available(
        swift, deprecated: 5, obsoleted: 6,
        message:
            "use `andThen(context:completion:)` for the value; for the error too, `materialize()`, and `map` with `get()`"
    )
    @preconcurrency @_disfavoredOverload
    public func andThen(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        complete: @escaping @Sendable (Try<T>) -> Void
    ) -> Future<T> {
        andThen(context: executionContext, cancelToken: cancelToken) { complete(.success($0)) }
            .mapError(context: executionContext, cancelToken: cancelToken) { error in
                complete(.failure(error))
                return error
            }
    }

    /// What ``completeWith(context:future:)-(_,Future<T>)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:future:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, future: Future<T>) {
        completeWith(context: executionContext, future: future)
    }
}

extension Promise {
    /// What ``completeWith(context:future:)-(_,Future<T>)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:future:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, future: Future<T>) {
        completeWith(context: executionContext, future: future)
    }
}

extension Try {
    /// What ``success(_:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "success(_:)")
    public static func Success(_ value: T) -> Try<T> { .success(value) }

    /// What ``failure(_:)`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "failure(_:)")
    public static func Failure(_ error: any Error) -> Try<T> { .failure(error) }
}

/// What ``FuturesError`` was called.
@available(swift, deprecated: 5, obsoleted: 6, renamed: "FuturesError")
public typealias TryError = FuturesError

extension FuturesError {
    /// What ``noSuchElement`` was called.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "noSuchElement")
    public static var filterFailed: FuturesError { .noSuchElement }
}
