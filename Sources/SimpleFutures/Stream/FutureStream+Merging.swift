/// Returns a stream of the elements of several streams, as they are emitted.
///
///     let events = merge(clicks, keys)
///
/// It ends when all of them have ended; if any of them was canceled, it ends as canceled. Replayed elements come first,
/// those of the first stream before those of the second; inside a callback of the library they come when it returns,
/// and in turns. Its capacity is that of the first stream.
///
/// - Parameters:
///   - first: A stream.
///   - others: Further streams.
///   - cancelToken: When canceled, cancels the new stream.
@inlinable
public func merge<T: Sendable>(
    _ first: FutureStream<T>, _ others: FutureStream<T>..., cancelToken: CancelToken = .none
) -> FutureStream<T> {
    first.merge(others, cancelToken: cancelToken)
}

extension FutureStream {
    /// Returns a stream of the elements of this and of other streams, as they are emitted.
    ///
    ///     let events = clicks.merge(keys, gestures)
    ///
    /// For order and end see the function ``merge(_:_:cancelToken:)``.
    ///
    /// - Parameters:
    ///   - others: Further streams. The capacity of the new stream is that of this one.
    ///   - cancelToken: When canceled, cancels the new stream.
    @inlinable
    public func merge(_ others: FutureStream<T>..., cancelToken: CancelToken = .none) -> FutureStream<T> {
        merge(others, cancelToken: cancelToken)
    }

    /// Returns a stream of the elements of this and of a sequence of other streams, as they are emitted.
    ///
    ///     let events = clicks.merge(windows.map { $0.keys })
    ///
    /// For order and end see the function ``merge(_:_:cancelToken:)``.
    ///
    /// - Parameters:
    ///   - others: Further streams. The capacity of the new stream is that of this one.
    ///   - cancelToken: When canceled, cancels the new stream.
    @inlinable
    public func merge(_ others: some Sequence<FutureStream<T>>, cancelToken: CancelToken = .none) -> FutureStream<T> {
        let derived = FutureStream(producedWith: capacity)
        for stream in [self] + others where derived.core.gainProducer() {
            stream.lead(to: derived.core, under: cancelToken, joins: true)
        }
        // Removes the producer that the new stream started with, once all streams have joined.
        derived.core.loseProducer()
        return derived
    }
}
