extension AnyFuture {
    /// Whether there is a result: a value or an error.
    ///
    /// A canceled future has none and never will.
    public final var completed: Bool {
        let phase = phase
        return phase == .succeeded || phase == .failed
    }

    /// Whether the future was detached from its source by a ``CancelToken``.
    public final var isCancelled: Bool { phase == .cancelled }

    /// Runs a closure when this future is canceled: when a token detaches it, or the future it is derived from, from
    /// its source.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - completion: Runs once. It is released without having run when the future is completed instead.
    public final func onCancel(
        context: any ExecutionContext = QueueContext.futuresDefault, _ completion: @escaping @Sendable () -> Void
    ) {
        observe(.cancellation, on: context, under: .none) { _, _ in completion() }
    }
}
