extension FutureStream {
    /// Returns a derived stream.
    ///
    /// The closure handles the events in `interest` and emits into it; other events are passed on.
    @usableFromInline
    func derive<M: Sendable>(
        _ interest: StreamInterest, on context: any ExecutionContext, under token: CancelToken,
        _ body: @escaping @Sendable (StreamEvent, StreamCore) -> Void
    ) -> FutureStream<M> {
        let derived = FutureStream<M>(producedWith: capacity)
        core.subscribe(interest, on: context, under: token, target: derived.core) { event, target in
            if let target { body(event, target) }
        }
        return derived
    }
}
