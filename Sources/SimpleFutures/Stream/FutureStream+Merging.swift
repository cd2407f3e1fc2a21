/// Returns a stream of the elements of several streams, as they are emitted.
///
///     let events = merge(clicks, keys)
///
/// It finishes when all of them have ended; if one of those was canceled, it ends canceled. The elements that the
/// streams keep come first, those of the first stream before those of the second. It keeps as many as the first stream
/// does.
///
/// - Parameters:
///   - first: A stream.
///   - others: More of them.
///   - cancelToken: Detaches the new stream from all of them; it is then canceled.
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
    /// For order and end see ``merge(_:_:cancelToken:)`` among the functions.
    ///
    /// - Parameters:
    ///   - others: More streams. The new one keeps as many elements as this one does.
    ///   - cancelToken: Detaches the new stream from all of them; it is then canceled.
    public func merge(_ others: FutureStream<T>..., cancelToken: CancelToken = .none) -> FutureStream<T> {
        merge(others, cancelToken: cancelToken)
    }

    /// Returns a stream of the elements of this and of a sequence of other streams, as they are emitted.
    ///
    ///     let events = clicks.merge(windows.map { $0.keys })
    ///
    /// For order and end see ``merge(_:_:cancelToken:)`` among the functions.
    ///
    /// - Parameters:
    ///   - others: More streams. The new one keeps as many elements as this one does.
    ///   - cancelToken: Detaches the new stream from all of them; it is then canceled.
    public func merge(_ others: some Sequence<FutureStream<T>>, cancelToken: CancelToken = .none) -> FutureStream<T> {
        let derived = FutureStream(producedWith: capacity)
        for stream in [self] + others where derived.core.gainProducer() {
            stream.lead(to: derived.core, under: cancelToken, joins: true)
        }
        // The producer that the new stream has come with goes when all have joined.
        derived.core.loseProducer()
        return derived
    }
}
