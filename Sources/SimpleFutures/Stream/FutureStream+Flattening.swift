extension FutureStream {
    /// A stream of the elements of the streams that a closure makes of each value.
    ///
    ///     let readings = devices.flatMap { $0.connect() }        // -> FutureStream<Reading>
    ///
    /// Elements come as they are emitted, so those of several streams mix. Failures pass the closure by. It finishes when
    /// this stream and all those that were made have ended; if one of those was cancelled, it ends cancelled.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs. The inner streams emit into the new one without a detour.
    ///   - cancelToken: Detaches the closure, and the new stream from the inner ones; it is then cancelled.
    ///   - mapping: Runs once per value. What it throws is a failure of the new stream, which goes on.
    @preconcurrency @inlinable
    public func flatMap<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> FutureStream<M>
    ) -> FutureStream<M> {
        derive(.success, on: context, under: cancelToken) { event, target in
            target.join(under: cancelToken) { try mapping(event.value(as: T.self)) }
        }
    }

    /// A stream of the results of the futures that a closure makes of each value: a request for each element.
    ///
    ///     let places = positions.flatMap { geocoder.place(at: $0) }        // -> Future<Place>
    ///
    /// Results come as the futures are completed, so a slow one is overtaken. Failures pass the closure by. It finishes when
    /// this stream and all those futures have ended; if one of those was cancelled, it ends cancelled.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs. The futures emit into the new stream without a detour.
    ///   - cancelToken: Detaches the closure, and the new stream from the futures; it is then cancelled.
    ///   - mapping: Runs once per value. What it throws is a failure of the new stream, which goes on.
    @preconcurrency @inlinable
    public func flatMap<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> Future<M>
    ) -> FutureStream<M> {
        derive(.success, on: context, under: cancelToken) { event, target in
            target.join(under: cancelToken) { try mapping(event.value(as: T.self)) }
        }
    }
}

extension StreamCore {
    /// Makes a stream one more source; what the closure throws is an element.
    @usableFromInline
    package func join<M: Sendable>(under token: CancelToken, _ make: () throws -> FutureStream<M>) {
        do {
            let inner = try make()
            guard inner.core !== self else { return _ = emit(error: FuturesError.invalidCompletion) }
            if gainProducer() { inner.lead(to: self, under: token, joins: true) }
        } catch { emit(error: error) }
    }

    /// Makes a future one more source; what the closure throws is an element.
    @usableFromInline
    package func join<M: Sendable>(under token: CancelToken, _ make: () throws -> Future<M>) {
        do {
            let inner = try make()
            if gainProducer() { inner.lead(to: self, under: token) }
        } catch { emit(error: error) }
    }
}
