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

/// A value that a subscriber's body keeps from one element to the next.
///
/// Bodies run one at a time, and the stream's lock between two runs makes earlier writes visible.
@usableFromInline
final class Memory<Value>: @unchecked Sendable {
    // Sendable: used by only one subscriber.
    @usableFromInline var value: Value

    @usableFromInline
    init(_ value: Value) { self.value = value }
}
