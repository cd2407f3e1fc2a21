// Names that users look for on streams but that are declared elsewhere, or have another name: see Unavailable.swift.
// `bind` and `accept` are left out: in extensions of streams they would hide the functions of the system.

extension FutureStream {
    /// In SimpleFuturesInterop.
    @available(*, unavailable, message: "`values` is for loops that await; add `import SimpleFuturesInterop`")
    public var values: AsyncThrowingStream<T, any Error> { fatalError() }

    /// Futures have one value; streams have many.
    @available(*, unavailable, message: "a stream has many values; use `for try await value in stream.values`")
    public var value: T! { fatalError() }

    /// A parameter of the loop.
    @available(*, unavailable, message: "each consumer has its own buffer: `stream.values(buffering: .newest(8))`")
    public func buffer(_ size: Int, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// `onSuccess`.
    @available(
        *, unavailable, message: "use `onSuccess`, with `isolated:` in main-actor code; there is nothing to keep"
    )
    @discardableResult
    public func sink(receiveValue body: @escaping (T) -> Void, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// `onSuccess`.
    @available(*, unavailable, message: "use `onSuccess(isolated: { [weak self] in self?.name = $0 })`")
    @discardableResult
    public func assign<Root>(
        to keyPath: ReferenceWritableKeyPath<Root, T>, on object: Root, _: Void = ()
    ) -> FutureStream<T> { fatalError() }

    /// `onSuccess`.
    @available(*, unavailable, message: "use `onSuccess(isolated: { [weak self] in self?.name = $0 })`")
    public func assign<Published>(to published: inout Published, _: Void = ()) { fatalError() }

    /// A token.
    @available(*, unavailable, message: "to cancel, pass `cancelToken: token.token` of an `OwnedToken` to the calls")
    public func store<Storage>(in storage: inout Storage, _: Void = ()) { fatalError() }

    /// `take`.
    @available(*, unavailable, renamed: "take(_:)")
    public func prefix(_ count: Int, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// `drop`.
    @available(*, unavailable, renamed: "drop(_:)")
    public func dropFirst(_ count: Int = 1, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// `distinct`.
    @available(*, unavailable, renamed: "distinct()")
    public func removeDuplicates(_: Void = ()) -> FutureStream<T> { fatalError() }

    /// `filter` and `first`.
    @available(*, unavailable, message: "use `stream.filter { … }.first()`")
    public func first(where predicate: @escaping (T) -> Bool, _: Void = ()) -> Future<T> { fatalError() }

    /// The context of a call.
    @available(*, unavailable, message: "pass the queue to the next call: `onSuccess(context: queue) { … }`")
    public func receive<Scheduler>(on scheduler: Scheduler, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// The context of a call.
    @available(*, unavailable, message: "pass the queue to the next call: `onSuccess(context: queue) { … }`")
    public func observe<Scheduler>(on scheduler: Scheduler, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// `merge`.
    @available(*, unavailable, renamed: "merge(_:)")
    public func merge(with other: FutureStream<T>, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// `reduce`, or a loop.
    @available(*, unavailable, message: "use `reduce(into: []) { $0.append($1) }`, or a loop over `stream.values`")
    public func collect(_: Void = ()) -> Future<[T]> { fatalError() }

    /// A loop.
    @available(*, unavailable, message: "use `take(count).reduce(into: []) { $0.append($1) }` for the first elements")
    public func collect(_ count: Int, _: Void = ()) -> FutureStream<[T]> { fatalError() }

    /// A closure that returns a future.
    @available(*, unavailable, message: "use `flatMap { Future.after(.seconds(1), value: $0) }`, or `debounce`")
    public func delay(_ duration: Duration, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// A failure doesn't end a stream.
    @available(
        *, unavailable, message: "a failure doesn't end a stream; to repeat a call use `Future.retry(3) { load() }`"
    )
    public func retry(_ attempts: Int, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// A closure with a state.
    @available(*, unavailable, message: "use `filter` with a closure that remembers, or a loop over `values`")
    public func drop(while predicate: @escaping (T) -> Bool, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// `reduce`.
    @available(*, unavailable, message: "use `reduce(nil as Row?) { $1 }`, which is nil without a value")
    public func last(_: Void = ()) -> Future<T> { fatalError() }

    /// `onSuccess`.
    @available(
        *, unavailable, message: "use `onSuccess`, `onFailure` and `onFinish`, with `isolated:` in main-actor code"
    )
    public func subscribe(onNext body: @escaping (T) -> Void, _: Void = ()) { fatalError() }

    /// `onSuccess`.
    @available(*, unavailable, message: "use `onSuccess`, with `isolated:` in main-actor code")
    public func drive(onNext body: @escaping (T) -> Void, _: Void = ()) { fatalError() }

    /// A stream of the element, and `merge`.
    @available(
        *, unavailable,
        message: "use `FutureStream(value: x, capacity: n + 1).merge(stream)`; n is the capacity of `stream`"
    )
    public func startWith(_ value: T, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// A stream of the element, and `merge`.
    @available(
        *, unavailable,
        message: "use `FutureStream(value: x, capacity: n + 1).merge(stream)`; n is the capacity of `stream`"
    )
    public func prepend(_ value: T, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// `withLatest`.
    @available(*, unavailable, renamed: "withLatest(from:)")
    public func withLatestFrom<A>(_ other: FutureStream<A>, _: Void = ()) -> FutureStream<(T, A)> { fatalError() }

    /// `distinct`.
    @available(*, unavailable, renamed: "distinct()")
    public func distinctUntilChanged(_: Void = ()) -> FutureStream<T> { fatalError() }

    /// `drop`.
    @available(*, unavailable, renamed: "drop(_:)")
    public func skip(_ count: Int, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// `flatMapLatest`.
    @available(*, unavailable, message: "use `flatMapLatest { … }` in place of `map { … }.switchToLatest()`")
    public func switchToLatest(_: Void = ()) -> T { fatalError() }

    /// A stream is shared.
    @available(*, unavailable, message: "leave it out: all subscribers share a stream")
    public func share(_: Void = ()) -> FutureStream<T> { fatalError() }

    /// A stream has one type.
    @available(*, unavailable, message: "leave it out: the type is `FutureStream` already")
    public func eraseToAnyPublisher(_: Void = ()) -> FutureStream<T> { fatalError() }

    /// `map`.
    @available(*, unavailable, message: "use `map`, whose closure can throw")
    public func tryMap<M>(_ body: @escaping (T) throws -> M, _: Void = ()) -> FutureStream<M> { fatalError() }

    /// `recover`.
    @available(*, unavailable, message: "use `recover { _ in x }`")
    public func replaceError(with value: T, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// `recover`.
    @available(*, unavailable, message: "use `recover { error in x }`; the stream continues after a failure")
    public func `catch`<R>(_ body: @escaping (any Error) -> R, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// `andThen`.
    @available(*, unavailable, message: "use `andThen`, whose closure gets each value before it is passed on")
    public func handleEvents(receiveOutput body: @escaping (T) -> Void, _: Void = ()) -> FutureStream<T> {
        fatalError()
    }

    /// `andThen`.
    @available(*, unavailable, message: "use `andThen`, whose closure gets each value before it is passed on")
    public func `do`(onNext body: @escaping (T) -> Void, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// `combineLatest`, and `map`.
    @available(*, unavailable, message: "use `combineLatest(other).map { … }`")
    public func combineLatest<A, R>(
        _ other: FutureStream<A>, resultSelector: @escaping (T, A) -> R, _: Void = ()
    ) -> FutureStream<R> { fatalError() }

    /// `withLatest`, and `map`.
    @available(*, unavailable, message: "use `withLatest(from: other).map { … }`")
    public func withLatest<A, R>(
        from other: FutureStream<A>, resultSelector: @escaping (T, A) -> R, _: Void = ()
    ) -> FutureStream<R> { fatalError() }

    /// Two loops.
    @available(*, unavailable, message: "use two loops over `values`, or subscribe to the other one in `onFinish`")
    public func concat(_ other: FutureStream<T>, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// Two loops.
    @available(*, unavailable, message: "use two loops over `values`, or subscribe to the other one in `onFinish`")
    public func append(_ other: FutureStream<T>, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// A token.
    @available(*, unavailable, message: "pass a `CancelToken`, and cancel it when the other stream emits")
    public func take<A>(until other: FutureStream<A>, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// A loop.
    @available(*, unavailable, message: "use `break` in a loop over `values`, or a `CancelToken`")
    public func take(while predicate: @escaping (T) -> Bool, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// A loop.
    @available(*, unavailable, message: "use `break` in a loop over `values`, or a `CancelToken`")
    public func prefix(while predicate: @escaping (T) -> Bool, _: Void = ()) -> FutureStream<T> { fatalError() }

    /// A failure is an element.
    @available(*, unavailable, message: "leave it out: a failure doesn't end a stream, and `onComplete` gets both")
    public func materialize(_: Void = ()) -> FutureStream<Try<T>> { fatalError() }
}

extension StreamPromise {
    /// `success`.
    @available(*, unavailable, renamed: "success(_:)")
    public func send(_ value: T) { fatalError() }

    /// `success`.
    @available(*, unavailable, renamed: "success(_:)")
    public func yield(_ value: T, _: Void = ()) { fatalError() }

    /// `success`.
    @available(*, unavailable, renamed: "success(_:)")
    public func onNext(_ value: T, _: Void = ()) { fatalError() }

    /// `failure`.
    @available(*, unavailable, message: "use `failure(error)`, then `finish()` if it is the last element")
    public func onError(_ error: any Error, _: Void = ()) { fatalError() }

    /// `finish`.
    @available(*, unavailable, renamed: "finish()")
    public func onCompleted(_: Void = ()) { fatalError() }

    /// The newest element of the stream.
    @available(
        *, unavailable, message: "use `stream.futures.last?.result?.value` of the promise, or a property of your own"
    )
    public var value: T! { fatalError() }
}
