/// A type with a result that arrives once: ``Future``, or a type of your own.
///
/// A conforming type has all combinators, and its sequences have `sequence`, `fold` and others. Like a future, it must be
/// completed once, and call each callback once, on its context.
///
///     final class Download: Futurable {
///         private let future = Future<Data>()
///         …
///         func asFuture(cancelToken: CancelToken) -> Future<Data> { future }
///     }
///
/// If your type has a future inside, implement ``asFuture(cancelToken:)``. Derived futures then see its cancellation too.
@preconcurrency
public protocol Futurable<T>: Sendable {
    /// The type of the value.
    associatedtype T: Sendable

    /// The result; nil if there is none.
    var result: Try<T>? { get }

    /// Creates a pending instance, to be completed by your code.
    init()
    /// Creates an instance that has a value.
    init(value: T)
    /// Creates an instance that has an error.
    init(error: any Error)
    /// Creates an instance that completes with the result of another one.
    ///
    /// The default uses ``onComplete(context:cancelToken:completion:)`` and ``complete(_:)``.
    init(context: any ExecutionContext, dependent: Self)

    /// Completes it with a result, a value or an error.
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

    /// Returns a future of the same result, for everything that futures can do.
    ///
    /// The default is completed by ``onComplete(context:cancelToken:completion:)``. If that releases its closure
    /// uncalled, the future is broken; or canceled, if the closure was registered under a token that could detach it.
    ///
    /// - Parameter cancelToken: What the default registers under. A type with a future inside returns that, whatever
    ///   the token.
    func asFuture(cancelToken: CancelToken) -> Future<T>
}

extension Futurable {
    /// Creates one that is completed as another one is, by a callback of that.
    public init(context: any ExecutionContext, dependent: Self) {
        self.init()
        let target = self
        dependent.onComplete(context: ImmediateContext(), cancelToken: .none) { target.complete($0) }
    }

    /// Returns a future that a callback completes, registered under the token.
    public func asFuture(cancelToken: CancelToken) -> Future<T> {
        let future = Future<T>()
        let link = ForeignLink(to: future, canBeDetached: !cancelToken.isNone)
        onComplete(context: ImmediateContext(), cancelToken: cancelToken) { link.target.complete($0) }
        return future
    }

    /// Returns a future of the same result.
    @inlinable
    public func asFuture() -> Future<T> { asFuture(cancelToken: .none) }

    /// Completes it with a value, as ``complete(_:)`` does.
    @preconcurrency
    public func success(_ value: T) { complete(.success(value)) }

    /// Completes it with an error, as ``complete(_:)`` does.
    public func failure(_ error: any Error) { complete(.failure(error)) }
}

/// A future is its own.
extension Future: Futurable {
    /// The future itself.
    @inlinable
    public func asFuture(cancelToken: CancelToken) -> Future<T> { self }
}

/// Completes a future from a user's own type, or learns that this will never happen.
private final class ForeignLink<T: Sendable>: Sendable {
    let target: Future<T>
    private let canBeDetached: Bool

    init(to target: Future<T>, canBeDetached: Bool) {
        self.target = target
        self.canBeDetached = canBeDetached
    }

    deinit {
        // After a completion neither has an effect.
        if canBeDetached { target.cancelAsTarget() } else { target.loseProducer() }
    }
}
