/// The phase of a future's life.
///
/// All phases except `pending` are final.
@usableFromInline
package enum FuturePhase: UInt8, Sendable {
    // In this order, because the raw value is the status byte that is published.
    case pending = 0
    case succeeded
    case failed
    case cancelled
    /// Only used by the stand-in that delivers for a future that was released while pending.
    case abandoned

    var isFailure: Bool { self == .failed || self == .abandoned }
}

extension AnyFuture {
    /// Whether there is a result: a value or an error.
    ///
    /// A canceled future has no result and never gets one.
    public final var completed: Bool {
        let phase = phase
        return phase == .succeeded || phase == .failed
    }

    /// Whether a ``CancelToken`` canceled this future.
    public final var isCancelled: Bool { phase == .cancelled }

    /// Runs a closure when a token cancels this future or the future it is derived from.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure is released without running. It must not be the token that cancels
    ///     the future.
    ///   - completion: Runs once. It is released without running if the future is completed instead.
    /// - Returns: This future, for the next callback.
    @preconcurrency @discardableResult
    public final func onCancel(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ completion: @escaping @Sendable () -> Void
    ) -> Self {
        observe(.cancellation, on: context, under: cancelToken) { _, _ in completion() }
        return self
    }
}
