/// A type with a result that arrives once: ``Future``, or a type of your own.
///
/// A conforming type gets all combinators, and sequences of it get `sequence`, `fold` and others. Like a future, it
/// must be completed once, and call each callback once, on its context.
///
///     final class Download: Futurable {
///         private let future = Future<Data>()
///
///         init() {}
///         init(value: Data) { future.success(value) }
///         init(error: any Error) { future.failure(error) }
///
///         var result: Try<Data>? { future.result }
///         func complete(_ result: Try<Data>) { future.complete(result) }
///         func onComplete(
///             context: any ExecutionContext, cancelToken: CancelToken,
///             completion: @escaping @Sendable (Try<Data>) -> Void
///         ) {
///             future.onComplete(context: context, cancelToken: cancelToken, completion: completion)
///         }
///         func asFuture(cancelToken: CancelToken) -> Future<Data> { future }
///     }
///
/// If your type stores a future, implement ``asFuture(cancelToken:)``. Derived futures then see its cancellation too.
@preconcurrency
public protocol Futurable<T>: Sendable {
    /// The type of the value.
    associatedtype T: Sendable

    /// The result; nil if there is none.
    var result: Try<T>? { get }

    /// Creates a pending instance for your code to complete.
    init()
    /// Creates an instance that has a value.
    init(value: T)
    /// Creates an instance that has an error.
    init(error: any Error)
    /// Creates an instance that completes with the result of another one.
    ///
    /// The default uses ``onComplete(context:cancelToken:completion:)`` and ``complete(_:)``.
    init(context: any ExecutionContext, dependent: Self)

    /// Completes the instance with a value or an error.
    ///
    /// The first completion counts.
    func complete(_ result: Try<T>)

    /// Runs a closure with the result.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Call it once, and release it when it can no longer be called.
    @preconcurrency
    func onComplete(
        context: any ExecutionContext, cancelToken: CancelToken, completion: @escaping @Sendable (Try<T>) -> Void)

    /// Returns a future of the same result, which provides the combinators.
    ///
    /// The default registers a callback with ``onComplete(context:cancelToken:completion:)``. If the callback is
    /// released uncalled, the future is broken, or canceled if the callback was registered with a token.
    ///
    /// - Parameter cancelToken: The token for the default's callback. A type that stores a future returns that, and
    ///   ignores the token.
    func asFuture(cancelToken: CancelToken) -> Future<T>
}

extension Futurable {
    /// Creates an instance that is completed like another one.
    public init(context: any ExecutionContext, dependent: Self) {
        self.init()
        let target = self
        dependent.onComplete(context: ImmediateContext(), cancelToken: .none) { target.complete($0) }
    }

    /// Returns a future that is completed by a callback registered with the token.
    public func asFuture(cancelToken: CancelToken) -> Future<T> {
        let future = Future<T>()
        let link = ForeignLink(to: future, canBeDetached: !cancelToken.isNone)
        onComplete(context: ImmediateContext(), cancelToken: cancelToken) { link.target.complete($0) }
        return future
    }

    /// Returns a future of the same result.
    @inlinable
    public func asFuture() -> Future<T> { asFuture(cancelToken: .none) }

    /// Completes the instance with a value, as ``complete(_:)`` does.
    @preconcurrency
    public func success(_ value: T) { complete(.success(value)) }

    /// Completes the instance with an error, as ``complete(_:)`` does.
    public func failure(_ error: any Error) { complete(.failure(error)) }
}

/// A future is its own `asFuture`.
extension Future: Futurable {
    /// The future itself.
    @inlinable
    public func asFuture(cancelToken: CancelToken) -> Future<T> { self }
}

/// Completes a future from a user's own type.
///
/// Its release tells the future that no result will come.
private final class ForeignLink<T: Sendable>: Sendable {
    let target: Future<T>
    private let canBeDetached: Bool

    init(to target: Future<T>, canBeDetached: Bool) {
        self.target = target
        self.canBeDetached = canBeDetached
    }

    deinit {
        // Without effect after a completion.
        if canBeDetached { target.cancelAsTarget() } else { target.loseProducer() }
    }
}
