public import SimpleFutures

// Common mistakes, so that the compiler can explain the right spelling. The ones with `isolated:` also take a token, as
// today's calls do: otherwise the compiler would suggest `isolated:` where `context:` is forgotten.

extension Future {
    /// The closure returns the value, not a future of it.
    @available(
        *, unavailable, message: "the closure returns a future: write `Future { try await future.value }`"
    )
    @_disfavoredOverload
    public convenience init(
        cancelToken: CancelToken = .none, name: String? = nil, priority: TaskPriority? = nil,
        operation: () async throws -> Future<T>
    ) { fatalError() }
}

/// `Future`, in place of `future`.
@available(*, unavailable, message: "for a closure that awaits, write `Future { try await … }`, with a capital F")
@_disfavoredOverload
public func future<T: Sendable>(operation: () async throws -> T) -> Future<T> { fatalError() }

/// The handler takes errors of one type only.
@available(
    *, unavailable, message: "wrap the handler, as in `callback({ completion($0, $1 as NSError?) }) { … }`"
)
@_disfavoredOverload
public func callback<T, E: Error>(
    _ completion: (T?, E?) -> Void, context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil,
    priority: TaskPriority? = nil, operation: () async throws -> T
) { fatalError() }

/// The handler must be adapted: it needs a value also with an error.
@available(
    *, unavailable, message: "the handler needs a value with an error: `callback({ completion($0 ?? 0, $1) }) { … }`"
)
@_disfavoredOverload
public func callback<T>(
    _ completion: (T, (any Error)?) -> Void, context: any ExecutionContext = QueueContext.futuresDefault,
    name: String? = nil, priority: TaskPriority? = nil, operation: () async throws -> T
) { fatalError() }

/// The handler must be adapted: the result is optional, too.
@available(
    *, unavailable, message: "the result is optional, too: write `callback({ completion($0 ?? nil, $1) }) { … }`"
)
@_disfavoredOverload
public func callback<T>(
    _ completion: (T?, (any Error)?) -> Void, context: any ExecutionContext = QueueContext.futuresDefault,
    name: String? = nil, priority: TaskPriority? = nil, operation: () async throws -> T?
) { fatalError() }

/// The handler must be adapted: it needs values also with an error.
@available(
    *, unavailable,
    message: "the handler needs values with an error: `callback({ completion($0 ?? 0, $1 ?? 0, $2) }) { … }`"
)
@_disfavoredOverload
public func callback<A, B>(
    _ completion: (A, B, (any Error)?) -> Void, context: any ExecutionContext = QueueContext.futuresDefault,
    name: String? = nil, priority: TaskPriority? = nil, operation: () async throws -> (A, B)
) { fatalError() }

/// The handler has no place for an error.
@available(
    *, unavailable, message: "the handler takes no error: handle it in the closure, as in `(try? await load()) ?? 0`"
)
@_disfavoredOverload
public func callback<T>(
    _ completion: (T) -> Void, context: any ExecutionContext = QueueContext.futuresDefault, name: String? = nil,
    priority: TaskPriority? = nil, operation: () async throws -> T
) { fatalError() }

extension FutureStream {
    /// The number of elements to keep must be said.
    @available(
        *, unavailable,
        message: """
            say how many newest elements later subscribers get: `FutureStream(capacity: 0) { emitter in … }`, in \
            main-actor code `FutureStream(capacity: 0, isolated: { emitter in … })`
            """
    )
    @_disfavoredOverload
    public convenience init<R>(cancelToken: CancelToken = .none, source: (StreamEmitter<T>) throws -> R) {
        fatalError()
    }
}

extension Futurable {
    /// The closure is isolated, not the call.
    @available(*, unavailable, message: "`isolated:` takes the closure: `onSuccess(isolated: { … })`")
    @_disfavoredOverload @discardableResult
    public func onSuccess(
        isolated owner: AnyObject, cancelToken: CancelToken = .none, completion body: @escaping (T) -> Void
    ) -> Self { fatalError() }

    /// The closure is isolated, not the call.
    @available(*, unavailable, message: "`isolated:` takes the closure: `onFailure(isolated: { … })`")
    @_disfavoredOverload @discardableResult
    public func onFailure(
        isolated owner: AnyObject, cancelToken: CancelToken = .none, completion body: @escaping (any Error) -> Void
    ) -> Self { fatalError() }

    /// The closure is isolated, not the call.
    @available(*, unavailable, message: "`isolated:` takes the closure: `onComplete(isolated: { … })`")
    @_disfavoredOverload @discardableResult
    public func onComplete(
        isolated owner: AnyObject, cancelToken: CancelToken = .none, completion body: @escaping (Try<T>) -> Void
    ) -> Self { fatalError() }

    /// The closure is isolated, not the call.
    @available(*, unavailable, message: "`isolated:` takes the closure: `map(isolated: { … })`")
    @_disfavoredOverload
    public func map<M>(
        isolated owner: AnyObject, cancelToken: CancelToken = .none, mapping body: @escaping (T) throws -> M
    ) -> Future<M> { fatalError() }

    /// The closure is isolated, not the call.
    @available(*, unavailable, message: "`isolated:` takes the closure: `flatMap(isolated: { … })`")
    @_disfavoredOverload
    public func flatMap<M>(
        isolated owner: AnyObject, cancelToken: CancelToken = .none, mapping body: @escaping (T) throws -> Future<M>
    ) -> Future<M> {
        fatalError()
    }
}

extension FutureStream {
    /// The closure is isolated, not the call.
    @available(*, unavailable, message: "`isolated:` takes the closure: `onSuccess(isolated: { … })`")
    @_disfavoredOverload @discardableResult
    public func onSuccess(
        isolated owner: AnyObject, cancelToken: CancelToken = .none, completion body: @escaping (T) -> Void
    ) -> Self { fatalError() }

    /// The closure is isolated, not the call.
    @available(*, unavailable, message: "`isolated:` takes the closure: `onFailure(isolated: { … })`")
    @_disfavoredOverload @discardableResult
    public func onFailure(
        isolated owner: AnyObject, cancelToken: CancelToken = .none, completion body: @escaping (any Error) -> Void
    ) -> Self { fatalError() }

    /// The closure is isolated, not the call.
    @available(*, unavailable, message: "`isolated:` takes the closure: `map(isolated: { … })`")
    @_disfavoredOverload
    public func map<M>(
        isolated owner: AnyObject, cancelToken: CancelToken = .none, mapping body: @escaping (T) throws -> M
    ) -> FutureStream<M> { fatalError() }
}

extension StreamEmitter {
    /// `success`.
    @available(*, unavailable, renamed: "success(_:)")
    public func yield(_ value: T, _: Void = ()) { fatalError() }

    /// `success`.
    @available(*, unavailable, renamed: "success(_:)")
    public func send(_ value: T, _: Void = ()) { fatalError() }
}

// Members of `FutureStream` that `TypedStream` does not have.
extension TypedStream {
    /// `onFinish` of the untyped stream.
    @available(*, unavailable, message: "use `stream.onFinish { … }`")
    public func onFinish(_ body: @escaping () -> Void, _: Void = ()) -> Self { fatalError() }

    /// `onCancel` of the untyped stream.
    @available(*, unavailable, message: "use `stream.onCancel { … }`")
    public func onCancel(_ body: @escaping () -> Void, _: Void = ()) -> Self { fatalError() }

    /// `first` of the untyped stream.
    @available(*, unavailable, message: "use `stream.first().typed(as: Failure.self)`, with the type of the errors")
    public func first(_: Void = ()) -> TypedFuture<T, Failure> { fatalError() }

    /// `subscription` of the untyped stream.
    @available(*, unavailable, message: "use `stream.subscription()`")
    public func subscription(_: Void = ()) -> FutureStreamSubscription<T> { fatalError() }

    /// `scan` of the untyped stream.
    @available(*, unavailable, message: "use `stream.scan(…) { … }`, and `typed(as:)` for the result")
    public func scan<R>(_ initial: R, _ body: @escaping (R, T) throws -> R, _: Void = ()) -> Self { fatalError() }

    /// `compactMap` of the untyped stream.
    @available(*, unavailable, message: "use `stream.compactMap { … }`, and `typed(as:)` for the result")
    public func compactMap<R>(_ body: @escaping (T) throws -> R?, _: Void = ()) -> Self { fatalError() }

    /// `asyncMap` of the untyped stream.
    @available(*, unavailable, message: "use `stream.asyncMap { … }`, and `typed(as:)` for the result")
    public func asyncMap<R>(_ body: @escaping (T) async throws -> R, _: Void = ()) -> Self { fatalError() }
}

// Members of `Future` that `TypedFuture` does not have, or has under another name.
extension TypedFuture {
    /// `onResult`.
    @available(*, unavailable, renamed: "onResult(completion:)")
    public func onComplete(_ body: @escaping (Result<T, Failure>) -> Void, _: Void = ()) -> Self { fatalError() }

    /// `onResult`.
    @available(*, unavailable, message: "use `onResult`, which returns the future")
    public func andThen(_ body: @escaping (Result<T, Failure>) -> Void, _: Void = ()) -> Self { fatalError() }

    /// `onResult`.
    @available(*, unavailable, message: "use `onResult`, or `onFailure`")
    public func on(
        success: ((T) -> Void)? = nil, failure: ((Failure) -> Void)? = nil, completion: (() -> Void)? = nil,
        _: Void = ()
    ) -> Self { fatalError() }

    /// `filter` of the untyped future.
    @available(*, unavailable, message: "values that don't fit fail with another error: use `future.filter { … }`")
    public func filter(_ predicate: @escaping (T) -> Bool, _: Void = ()) -> Self { fatalError() }

    /// `map`.
    @available(*, unavailable, message: "use `map { _ in }`")
    public func asVoid(_: Void = ()) -> TypedFuture<Void, Failure> { fatalError() }

    /// `wait` of the untyped future.
    @available(*, unavailable, message: "await `value`, or use `future.wait()`, which blocks")
    public func wait(_: Void = ()) throws -> T { fatalError() }

    /// `completed` of the untyped future.
    @available(*, unavailable, message: "use `future.completed`")
    public var isCompleted: Bool! { fatalError() }

    /// `completed` of the untyped future.
    @available(*, unavailable, message: "use `future.completed`")
    public var completed: Bool! { fatalError() }

    /// `isCancelled` of the untyped future.
    @available(*, unavailable, message: "use `future.isCancelled`")
    public var isCancelled: Bool! { fatalError() }

    /// `cancel` of the untyped future.
    @available(*, unavailable, message: "use `future.cancel(token)`")
    public func cancel(_ token: CancelToken, _: Void = ()) -> Bool { fatalError() }

    /// `result`.
    @available(*, unavailable, message: "await `result`")
    public var outcome: Result<T, Failure>! { fatalError() }

    /// `compactMap` of the untyped future.
    @available(*, unavailable, message: "nil fails with another error: use `future.compactMap { … }`")
    public func compactMap<R>(_ body: @escaping (T) throws -> R?, _: Void = ()) -> Self { fatalError() }

    /// `asyncRecover` of the untyped future.
    @available(*, unavailable, message: "use `future.asyncRecover { … }`, and `typed(as:)` for the result")
    public func asyncRecover(_ body: @escaping (Failure) async throws -> T, _: Void = ()) -> Self { fatalError() }
}
