/// A result that is there, or will be: what ``Future`` is, and what types of your own can be.
///
/// A type that conforms gets the combinators, and sequences of it get `sequence`, `fold` and the like. What it must
/// promise is what a future promises: it is completed once, and calls each callback once, on its context.
///
///     final class Download: Futurable {
///         private let future = Future<Data>()
///         …
///         func asFuture(cancelToken: CancelToken) -> Future<Data> { future }
///     }
///
/// Implement ``asFuture(cancelToken:)`` if your type has a future inside, and derived futures will see all of its life:
/// cancellation too.
@preconcurrency
public protocol Futurable<T>: Sendable {
    /// The type of the value.
    associatedtype T: Sendable

    /// The result, or nil while there is none.
    var result: Try<T>? { get }

    /// Creates one that is completed by whoever holds it.
    init()
    /// Creates one that has succeeded.
    init(value: T)
    /// Creates one that has failed.
    init(error: any Error)
    /// Creates one that completes as another one does.
    ///
    /// There is a default, by way of ``onComplete(context:cancelToken:completion:)`` and ``complete(_:)``.
    init(context: any ExecutionContext, dependent: Self)

    /// Completes it with a result, a value or an error.
    ///
    /// The first completion wins.
    func complete(_ result: Try<T>)

    /// Runs a closure with the result.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs.
    ///   - cancelToken: Detaches the closure, which then never runs.
    ///   - completion: To be called once, and to be released when it can be called no more.
    @preconcurrency
    func onComplete(
        context: any ExecutionContext, cancelToken: CancelToken, completion: @escaping @Sendable (Try<T>) -> Void)

    /// A future of the same result, for everything that futures can do.
    ///
    /// The default is completed by ``onComplete(context:cancelToken:completion:)``. If that releases its closure
    /// uncalled, the future is broken; or cancelled, if the closure was registered under a token that could detach it.
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

    /// A future that a callback completes, registered under the token.
    public func asFuture(cancelToken: CancelToken) -> Future<T> {
        let future = Future<T>()
        let link = ForeignLink(to: future, canBeDetached: !cancelToken.isNone)
        onComplete(context: ImmediateContext(), cancelToken: cancelToken) { link.target.complete($0) }
        return future
    }

    /// A future of the same result.
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
