extension FutureStream {
    /// Returns a stream of the elements of the latest inner future or stream: a closure returns one for each value, and
    /// each replaces the one before.
    ///
    ///     let readings = devices
    ///         .flatMapLatest { $0.connect() }
    ///         .flatMapLatest { $0.readings() }
    ///
    ///     values      1       2        3        |
    ///     of 1          a   b
    ///     of 2                   c  |
    ///     of 3                            d   e   |
    ///     new stream    a   b    c        d   e   |
    ///
    /// With each value the new stream unsubscribes from the former inner future or stream, before the closure runs:
    /// none of its elements is emitted any more. Failures of this stream and of the inner ones are passed on, and do
    /// not replace the inner one. The new stream ends when this one and the latest inner one have ended. It ends as
    /// canceled if this one was canceled, or an inner one before it was replaced. To receive the elements of all inner
    /// ones use ``flatMap(context:cancelToken:mapping:)``.
    ///
    /// RxSwift has the same operator. In Combine it is `map` with `switchToLatest`, where a failure also ends the
    /// stream.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. Inner futures and streams emit into the new stream without a
    ///     hop.
    ///   - cancelToken: When canceled, cancels the closure, the link to the inner one, and the new stream.
    ///   - mapping: Runs once per value, and returns a ``Future``, a ``FutureStream``, or nil for no element. If it
    ///     throws, the error is a failure of the new stream, which continues.
    public func flatMapLatest<Inner: FutureStreamConvertible>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> Inner
    ) -> FutureStream<Inner.T> {
        latest(on: context, under: cancelToken, hasWork: false) { value, _ in try mapping(value) }
    }

    /// Returns a stream of the elements of the latest inner future or stream, and cancels the work of the former one.
    ///
    ///     let pages = links.flatMapLatest { url, token in
    ///         client.load(url, cancelToken: token)
    ///     }
    ///
    /// Like ``flatMapLatest(context:cancelToken:mapping:)-(_,_,(T)->Inner)``, with a token for the work of each inner
    /// one.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. Inner futures and streams emit into the new stream without a
    ///     hop.
    ///   - cancelToken: When canceled, cancels the closure, the link to the inner one, its token, and the new stream.
    ///   - mapping: Runs once per value, and returns a ``Future``, a ``FutureStream``, or nil for no element. Unless
    ///     the inner one has ended, its token is canceled when the next value arrives, before the closure runs, and when
    ///     the new stream ends, or has neither subscribers nor references any more. If the closure throws, the token is
    ///     canceled, and the error is a failure of the new stream, which continues.
    public func flatMapLatest<Inner: FutureStreamConvertible>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T, CancelToken) throws -> Inner
    ) -> FutureStream<Inner.T> {
        latest(on: context, under: cancelToken, hasWork: true, mapping)
    }

    /// - Parameter hasWork: Whether the closure uses its token. Otherwise it gets `none`, so that no token is made per
    ///   value.
    private func latest<Inner: FutureStreamConvertible>(
        on context: any ExecutionContext, under cancelToken: CancelToken, hasWork: Bool,
        _ mapping: @escaping @Sendable (T, CancelToken) throws -> Inner
    ) -> FutureStream<Inner.T> {
        let latest = Memory<LatestSource?>(nil)
        let derived: FutureStream<Inner.T> = derive(.success, on: context, under: cancelToken) { event, target in
            latest.value?.leave()
            latest.value = nil
            // The handlers of the former work may have ended or left it.
            guard target.withState({ $0.end == nil && !$0.isDeserted }), !cancelToken.isCancelled else { return }
            let (run, work) = (target.beginRun(), hasWork ? CancelToken() : .none)
            do {
                let inner = try mapping(event.value(as: T.self), work)
                latest.value = LatestSource(of: inner, for: target, run: run, work: work)
                if latest.value == nil { work.cancel() }
            } catch {
                work.cancel()
                target.emit(error: error)
            }
        }
        // When this stream has finished, the token has only this link to the new one.
        derived.core.follow(cancelToken)
        return derived
    }
}

/// The latest inner future or stream of a `flatMapLatest`, in the derived stream's list of sources.
///
/// Its elements are tagged with a run of the derived stream. So an element that another thread emits after the next
/// value has arrived is refused.
private final class LatestSource: StreamSource, @unchecked Sendable {
    // Sendable like its superclass; everything else is constant or under a lock.

    private let target: StreamCore
    private let link = CancelToken()
    /// Cancels the user's work for the inner object; nil when this source has ended.
    ///
    /// It is canceled after the link: the inner object is often canceled with it, which would cancel the target.
    private let work: Lock<CancelToken?>
    /// The stream between the inner object and the target, so that the subscription can be removed from any kind of
    /// inner object.
    private let relay: StreamCore

    /// Returns nil if the target has ended.
    init?<Inner: FutureStreamConvertible>(of inner: Inner, for target: StreamCore, run: UInt64, work: CancelToken) {
        self.target = target
        self.work = Lock(work)
        let stream = FutureStream<Inner.T>(producedWith: 0)
        relay = stream.core
        super.init()
        guard (inner as? FutureStream<Inner.T>)?.core !== target else {
            target.emitInvalidCompletion { .completedWithItself(createdAt: $0) }
            return nil
        }
        guard target.gainProducer(), target.add(self) else { return nil }
        relay.subscribe(.everything, under: link) { [self] event, _ in
            switch event.signal {
            case .success, .failure: _ = target.emit(event.result(as: Inner.T.self), run: run)
            case .finish: end()
            case .cancellation: end(cancelled: true)
            }
        }
        inner._lead(to: _StreamTarget(core: relay, token: .none))
        relay.loseProducer()
    }

    /// Unsubscribes and stops the work, because the next value has arrived.
    func leave() {
        guard let work = work.exchange(nil) else { return }
        unsubscribe()
        // The work for the next value begins when this returns.
        work.storage?.cancelWithHandlers()
        target.forget(self)
        target.loseProducer()
    }

    private func end(cancelled: Bool = false) {
        guard work.exchange(nil) != nil else { return }
        target.forget(self)
        target.loseProducer(cancelled: cancelled)
    }

    override func cut() {
        guard let work = work.exchange(nil) else { return }
        unsubscribe()
        work.cancel()
    }

    override func leaveEarly() -> [StreamSource] {
        link.cancel()
        return []
    }

    /// Unsubscribes from the inner object before this returns.
    ///
    /// Without its subscriber alone, the relay would end only when the running callback has returned.
    private func unsubscribe() {
        link.cancel()
        relay.cancelAsTarget()
    }
}
