// Names that users look for here but that are declared elsewhere, so that the compiler can say where. Any other
// declaration of the name is preferred.

extension Future {
    /// In SimpleFuturesInterop.
    @available(*, unavailable, message: "`value` awaits the result; add `import SimpleFuturesInterop`")
    public var value: T { fatalError() }
}

// A call for which the compiler would otherwise have no readable error.

/// The written type of the future is not the handler's, or the handler returns a value.
@available(
    *, unavailable,
    message: """
        no `future(method:)` gives a future of this type for this completion handler. If you wrote the type of the future, \
        correct it to the type of the handler's value. If the handler returns a value, call the method in \
        `Future { complete in … }`, and call `complete` in the handler
        """
)
@_disfavoredOverload
public func future<each A, R, T: Sendable>(
    method: (@escaping @Sendable (repeat each A) -> R) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<T> { fatalError() }

extension Future {
    /// `future`, in place of `Future`.
    @available(
        *, unavailable, message: "for a completion handler, write `future { load(completion: $0) }`, with a small f"
    )
    @_disfavoredOverload
    public convenience init(method: (@escaping @Sendable (T?, (any Error)?) -> Void) throws -> Void) { fatalError() }

    /// `future`, in place of `Future`.
    @available(
        *, unavailable, message: "for a completion handler, write `future { load(completion: $0) }`, with a small f"
    )
    @_disfavoredOverload
    public convenience init<E: Error>(method: (@escaping @Sendable (Result<T, E>) -> Void) throws -> Void) {
        fatalError()
    }

    /// `future`, in place of `Future`.
    @available(
        *, unavailable, message: "for a completion handler, write `future { load(completion: $0) }`, with a small f"
    )
    @_disfavoredOverload
    public convenience init(method: (@escaping @Sendable (T) -> Void) throws -> Void) { fatalError() }
}

// Names from other libraries. A declaration of the same name in the user's own module is preferred.
// Some have a parameter `_: Void = ()` or an optional type. So they cannot satisfy a requirement of a protocol in the
// user's module, for which that module has a default implementation.

extension Futurable {
    /// `map` or `flatMap`.
    @available(*, unavailable, message: "use `map`, or `flatMap` if the closure returns a future")
    public func then<Result>(_ body: @escaping (T) throws -> Result, _: Void = ()) -> Future<T> { fatalError() }

    /// `onSuccess`.
    @available(*, unavailable, message: "use `onSuccess`, with `isolated:` in main-actor code")
    public func done(_ body: @escaping (T) -> Void, _: Void = ()) -> Future<T> { fatalError() }

    /// `onFailure`.
    @available(*, unavailable, message: "use `onFailure`, with `isolated:` in main-actor code")
    public func `catch`(_ body: @escaping (any Error) -> Void, _: Void = ()) { fatalError() }

    /// `onSuccess` or `onComplete`.
    @available(
        *, unavailable, message: "use `onSuccess`, or `onComplete` for a result; there is no subscription to store"
    )
    @discardableResult
    public func sink(receiveValue body: @escaping (T) -> Void, _: Void = ()) -> Future<T> { fatalError() }

    /// A token.
    @available(*, unavailable, message: "to cancel, pass `cancelToken: token.token` of an `OwnedToken` to the calls")
    public func store<Storage>(in storage: inout Storage, _: Void = ()) { fatalError() }

    /// `ensure`.
    @available(*, unavailable, renamed: "ensure(_:)")
    public func finally(_ body: @escaping () -> Void, _: Void = ()) -> Future<T> { fatalError() }

    /// `ensure`.
    @available(*, unavailable, renamed: "ensure(_:)")
    public func always(_ body: @escaping () -> Void, _: Void = ()) -> Future<T> { fatalError() }

    /// `andThen` or `onComplete`.
    @available(*, unavailable, message: "use `andThen`, or `onComplete` for a result")
    public func tap(_ body: @escaping (T) -> Void, _: Void = ()) -> Future<T> { fatalError() }

    /// `completed`.
    @available(*, unavailable, renamed: "completed")
    public var isCompleted: Bool! { fatalError() }

    /// The error of `result`.
    @available(*, unavailable, message: "use `result?.error`, or `onFailure`")
    public var error: (any Error)?? { fatalError() }

    /// `value` or `wait`.
    @available(
        *, unavailable, message: "use `try await future.value` of SimpleFuturesInterop, or `wait()`, which blocks"
    )
    public func get(_: Void = ()) throws -> T { fatalError() }

    /// `value` or `wait`.
    @available(
        *, unavailable, message: "use `try await future.value` of SimpleFuturesInterop, or `wait()`, which blocks"
    )
    public func await(_: Void = ()) throws -> T { fatalError() }

    /// A new future for each attempt.
    @available(*, unavailable, message: "a future runs once; call the function again: `Future.retry(3) { load() }`")
    public func retry(_ attempts: Int, _: Void = ()) -> Future<T> { fatalError() }

    /// A token.
    @available(
        *, unavailable, message: "pass a `CancelToken` to the call that makes the future, and call `token.cancel()`"
    )
    public func cancel(_: Void = ()) { fatalError() }

    /// The context of a call.
    @available(*, unavailable, message: "pass the queue to the next call: `onSuccess(context: queue) { … }`")
    public func receive<Scheduler>(on scheduler: Scheduler, _: Void = ()) -> Future<T> { fatalError() }

    /// The context of a call.
    @available(*, unavailable, message: "pass the queue to the next call: `onSuccess(context: queue) { … }`")
    public func observe<Scheduler>(on scheduler: Scheduler, _: Void = ()) -> Future<T> { fatalError() }

    /// `onSuccess`.
    @available(*, unavailable, renamed: "onSuccess(completion:)")
    public func whenSuccess(_ body: @escaping (T) -> Void, _: Void = ()) { fatalError() }

    /// `onFailure`.
    @available(*, unavailable, renamed: "onFailure(completion:)")
    public func whenFailure(_ body: @escaping (any Error) -> Void, _: Void = ()) { fatalError() }

    /// `onComplete`.
    @available(*, unavailable, renamed: "onComplete(completion:)")
    public func whenComplete(_ body: @escaping (Try<T>) -> Void, _: Void = ()) { fatalError() }
}

extension Future {
    /// A future has one type.
    @available(*, unavailable, message: "leave it out: the type is `Future` already")
    public func eraseToAnyPublisher(_: Void = ()) -> Future<T> { fatalError() }

    /// `map`.
    @available(*, unavailable, message: "use `map`, whose closure can throw")
    public func tryMap<M>(_ body: @escaping (T) throws -> M, _: Void = ()) -> Future<M> { fatalError() }

    /// `recover`.
    @available(*, unavailable, message: "use `recover { _ in x }`")
    public func replaceError(with value: T, _: Void = ()) -> Future<T> { fatalError() }

    /// `future` of an expression.
    @available(*, unavailable, message: "use `future(try result.get())`")
    public convenience init<E: Error>(result: Result<T, E>, _: Void = ()) { fatalError() }
}

extension Sequence where Element: Futurable {
    /// `fold` with its labels.
    @available(*, unavailable, renamed: "fold(initial:combine:)")
    public func fold<R>(_ initial: R, f: @escaping (R, Element.T) -> R, _: Void = ()) -> Future<R> { fatalError() }
}

extension Promise {
    /// `success`.
    @available(*, unavailable, renamed: "success(_:)")
    public func fulfill(_ value: T) { fatalError() }

    /// `failure`.
    @available(*, unavailable, renamed: "failure(_:)")
    public func reject(_ error: any Error) { fatalError() }

    /// `success`.
    @available(*, unavailable, renamed: "success(_:)")
    public func resolve(_ value: T, _: Void = ()) { fatalError() }

    /// `success`.
    @available(*, unavailable, renamed: "success(_:)")
    public func succeed(_ value: T, _: Void = ()) { fatalError() }

    /// `failure`.
    @available(*, unavailable, renamed: "failure(_:)")
    public func fail(_ error: any Error, _: Void = ()) { fatalError() }

    /// `success`.
    @available(*, unavailable, renamed: "success(_:)")
    public func send(_ value: T) { fatalError() }

    /// `complete` with a `Try`.
    @available(*, unavailable, message: "use `complete(Try(result))`")
    public func complete<E: Error>(_ result: Result<T, E>) { fatalError() }

    /// `tryComplete` with a `Try`.
    @available(*, unavailable, message: "use `tryComplete(Try(result))`")
    public func tryComplete<E: Error>(_ result: Result<T, E>) -> Bool { fatalError() }

    /// `completeWith` with its label.
    @available(*, unavailable, message: "use `completeWith(future: other)`")
    public func completeWith(_ other: Future<T>, _: Void = ()) { fatalError() }
}

extension CancelToken {
    /// The other spelling.
    @available(*, unavailable, renamed: "isCancelled")
    public var isCanceled: Bool! { fatalError() }
}

extension OwnedToken {
    /// The token's.
    @available(*, unavailable, message: "use `token.isCancelled` of the owner's `token`")
    public var isCancelled: Bool! { fatalError() }
}

extension SharedWork {
    /// The closure has a second parameter.
    @available(
        *, unavailable, message: "the closure also gets a token, for work that can stop: write `{ key, token in … }`"
    )
    @_disfavoredOverload
    public convenience init(
        keepingResultsFor lifetime: Duration? = .zero, gracePeriod: Duration = .zero,
        context: any ExecutionContext = QueueContext.futuresDefault, work: (Key) -> Future<Value>
    ) { fatalError() }
}

/// PromiseKit's first step of a chain.
@available(*, unavailable, message: "call the function that returns the future: `load().map { … }`")
public func firstly<T>(_ body: () throws -> Future<T>) -> Future<T> { fatalError() }
