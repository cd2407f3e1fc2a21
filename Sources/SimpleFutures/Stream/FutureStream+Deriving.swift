extension FutureStream {
    /// Returns a stream that a closure emits into, for each event in which it is interested; the others are passed on.
    @usableFromInline
    package func derive<M: Sendable>(
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

/// What a body remembers from one element to the next.
///
/// Bodies run one at a time, and each sees what the one before has written: the lock of the stream is in between.
@usableFromInline
final class Memory<Value>: @unchecked Sendable {
    // Sendable, because one subscriber alone reaches it.
    @usableFromInline var value: Value

    @usableFromInline
    init(_ value: Value) { self.value = value }
}
