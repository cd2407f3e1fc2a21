extension Future {
    /// Lets this future complete a derived one: the second half of `flatMap` and `recoverWith`.
    ///
    /// It replaces the source as the target's producer.
    @inlinable
    package func lead(to target: AnyFuture, under token: CancelToken) {
        lead(to: target, under: token) { forward($0, to: $1, as: T.self) }
    }
}

// Combinators that only pass the value on give this function to code that does not know the value's type, so that only
// the function itself is compiled for each type.

extension AnyFuture {
    /// The same, with the function that completes the target.
    @usableFromInline
    package final func lead(to target: AnyFuture, under token: CancelToken, forwarding forward: @escaping ObserverBody)
    {
        guard self !== target else { return completeWithItself(createdAt: nil) }
        target.leaveSettledUpstream()
        observe(.forwarding, under: token, target: target, forward)
    }

    /// Lets the target end like this future, which has ended.
    @usableFromInline
    final func pass(to target: AnyFuture?, forwarding forward: ObserverBody) {
        deliver(.forwarding, to: target, forward, phase)
    }

    /// Fails with `invalidCompletion`, and reports it with the place where the promise was created, if there is one.
    @usableFromInline
    final func completeWithItself(createdAt site: CreationSite?) {
        if fail(FuturesError.invalidCompletion) == .accepted {
            FuturesDiagnostics.report(.completedWithItself(createdAt: site))
        }
    }
}

/// Completes the target of an observer with the value of its source.
@inlinable
package func forward<T: Sendable>(_ source: AnyFuture, to target: AnyFuture?, as _: T.Type) {
    guard let target else { return }
    target.future(of: T.self).settle(.success(source.settledValue(as: T.self)))
}
