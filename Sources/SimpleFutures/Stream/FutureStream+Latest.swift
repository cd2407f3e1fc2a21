extension FutureStream {
    /// Returns a stream of what comes from the latest value: the results of the future, or the elements of the stream, that a
    /// closure makes of it.
    ///
    ///     let readings = bluetooth.states
    ///         .flatMapLatest { $0 == .on ? scanner.devices() : .init(capacity: 0) }
    ///         .flatMapLatest { $0.connect() }
    ///         .flatMapLatest { $0.readings() }
    ///
    ///     values      1       2        3        |
    ///     of 1          a   b
    ///     of 2                   c  |
    ///     of 3                            d   e   |
    ///     new stream    a   b    c        d   e   |
    ///
    /// With each value the future or stream of the one before is left, before the closure runs: nothing of it is emitted
    /// any more. Failures, of this stream and of the inner ones, are passed on, and leave nothing. The new stream ends
    /// when this one and the latest inner one have ended; if one of the two was canceled, it ends canceled. To hear
    /// all inner ones use ``flatMap(context:cancelToken:mapping:)``.
    ///
    /// It is RxSwift's operator of the same name, and `map` with `switchToLatest` of Combine, where a failure is the end.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. What it makes emits into the new stream without a hop.
    ///   - cancelToken: Detaches the closure, and the new stream from what was made; it is then canceled.
    ///   - mapping: Runs once per value, and returns a ``Future`` or a ``FutureStream``. If it throws, the error is a failure of
    ///     the new stream, which goes on.
    public func flatMapLatest<Inner: FutureStreamConvertible>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> Inner
    ) -> FutureStream<Inner.T> {
        let latest = Memory<LatestSource?>(nil)
        return derive(.success, on: context, under: cancelToken) { event, target in
            latest.value?.leave()
            latest.value = nil
            let run = target.beginRun()
            do {
                let inner = try mapping(event.value(as: T.self))
                latest.value = LatestSource(of: inner, for: target, run: run)
            } catch {
                target.emit(error: error)
            }
        }
    }
}

/// The latest future or stream of a `flatMapLatest`, in the list of the derived stream's sources.
///
/// Its elements belong to a run of the derived stream, so one that another thread is just emitting is refused when the
/// next value has come.
private final class LatestSource: StreamSource, @unchecked Sendable {
    // Sendable as its superclass is; the rest is constant or under a lock.

    private let target: StreamCore
    private let link = CancelToken()
    private let hasEnded = Lock(false)

    /// Nil if the target has ended.
    init?<Inner: FutureStreamConvertible>(of inner: Inner, for target: StreamCore, run: UInt64) {
        self.target = target
        super.init()
        guard (inner as? FutureStream<Inner.T>)?.core !== target else {
            target.emitInvalidCompletion { .completedWithItself(createdAt: $0) }
            return nil
        }
        guard target.gainProducer(), target.add(self) else { return nil }
        // Between the two, so that the subscription can be taken out whatever the inner one is.
        let relay = FutureStream<Inner.T>(producedWith: 0)
        relay.core.subscribe(.everything, under: link) { [self] event, _ in
            switch event.signal {
            case .success, .failure: _ = target.emit(event.result(as: Inner.T.self), run: run)
            case .finish: end()
            case .cancellation: end(cancelled: true)
            }
        }
        inner._lead(to: _StreamTarget(core: relay.core, token: .none))
        relay.core.loseProducer()
    }

    /// Another value has come.
    func leave() {
        guard !hasEnded.exchange(true) else { return }
        link.cancel()
        target.forget(self)
        target.loseProducer()
    }

    private func end(cancelled: Bool = false) {
        guard !hasEnded.exchange(true) else { return }
        target.forget(self)
        target.loseProducer(cancelled: cancelled)
    }

    override func cut() {
        if !hasEnded.exchange(true) { link.cancel() }
    }
}
