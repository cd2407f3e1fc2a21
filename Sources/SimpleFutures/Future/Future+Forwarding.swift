extension Future {
    /// Lets this future complete a derived one: the second half of `flatMap` and `recoverWith`.
    ///
    /// It replaces the source as the target's producer.
    @usableFromInline
    package func lead(to target: AnyFuture, under token: CancelToken) {
        lead(to: target, under: token) { source, target in forward(source, to: target, as: T.self) }
    }
}

extension AnyFuture {
    /// The same, with the code that completes the target with the value.
    package final func lead(to target: AnyFuture, under token: CancelToken, _ forward: @escaping ObserverBody) {
        guard self !== target else { return completeWithItself(createdAt: nil) }
        target.leaveSettledUpstream()
        observe(.forwarding, under: token, target: target, forward)
    }

    /// Fails with `invalidCompletion`, and reports it with the place where the promise was created, if there is one.
    func completeWithItself(createdAt site: CreationSite?) {
        if fail(FuturesError.invalidCompletion) == .accepted {
            FuturesDiagnostics.report(.completedWithItself(createdAt: site))
        }
    }
}

/// Completes the target of an observer with the value of its source.
@usableFromInline
package func forward<T: Sendable>(_ source: AnyFuture, to target: AnyFuture?, as _: T.Type) {
    guard let target else { return }
    target.future(of: T.self).settle(.success(source.settledValue(as: T.self)))
}
