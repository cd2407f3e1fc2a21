// The names and labels of BlueCap's SimpleFutures 0.1, for the compiler's fix-its; those of streams are in
// DeprecatedStreams.swift.
//
// None of them may be a candidate for a call in today's spelling: each has its own name or requires a label that no
// current function has. They also must not keep the compiler from suggesting today's spelling, for example when
// `context:` is forgotten. Therefore declarations that share a name have today's parameters, defaults included, and are
// disfavored. `completeWith` is an exception: the compiler suggests the old label, and for the old label today's.

extension Future {
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
    ) -> Future<M> {
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
    ) -> Future<T> {
        recover(context: executionContext, cancelToken: cancelToken) { try recovery($0).get() }
    }

    /// The former name of ``flatMap(context:cancelToken:mapping:)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "flatMap(context:cancelToken:mapping:)")
    @preconcurrency
    public func flatmap<M: Sendable>(
        executionContext: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> Future<M>
    ) -> Future<M> {
        flatMap(context: executionContext, cancelToken: cancelToken, mapping: mapping)
    }

    /// The former name of ``recoverWith(context:cancelToken:recovery:)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "recoverWith(context:cancelToken:recovery:)")
    @preconcurrency @_disfavoredOverload
    public func recoverWith(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> Future<T>
    ) -> Future<T> {
        recoverWith(context: executionContext, cancelToken: cancelToken, recovery: recovery)
    }

    /// The former name of ``withFilter(context:cancelToken:filter:)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "withFilter(context:cancelToken:filter:)")
    @preconcurrency @_disfavoredOverload
    public func withFilter(
        executionContext: any ExecutionContext, cancelToken: CancelToken = .none,
        filter: @escaping @Sendable (T) throws -> Bool
    ) -> Future<T> {
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

    /// The former ``andThen(context:cancelToken:completion:)``, whose closure got the error too.
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

    /// The former name of ``completeWith(context:future:)-(_,Future<T>)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:future:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, future: Future<T>) {
        completeWith(context: executionContext, future: future)
    }
}

extension Promise {
    /// The former name of ``completeWith(context:future:)-(_,Future<T>)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "completeWith(context:future:)")
    @preconcurrency @_disfavoredOverload
    public func completeWith(executionContext: any ExecutionContext, future: Future<T>) {
        completeWith(context: executionContext, future: future)
    }
}

extension Try {
    /// The former name of ``success(_:)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "success(_:)")
    public static func Success(_ value: T) -> Try<T> { .success(value) }

    /// The former name of ``failure(_:)``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "failure(_:)")
    public static func Failure(_ error: any Error) -> Try<T> { .failure(error) }
}

/// The former name of ``FuturesError``.
@available(swift, deprecated: 5, obsoleted: 6, renamed: "FuturesError")
public typealias TryError = FuturesError

extension FuturesError {
    /// The former name of ``noSuchElement``.
    @available(swift, deprecated: 5, obsoleted: 6, renamed: "noSuchElement")
    public static var filterFailed: FuturesError { .noSuchElement }
}
