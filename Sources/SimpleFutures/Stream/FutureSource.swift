extension AnyFuture {
    /// Emits the result into a stream.
    ///
    /// - Parameters:
    ///   - target: The stream, which has this future as a producer.
    ///   - token: The token that cancels the registration.
    ///   - forward: Emits a success or a failure.
    @usableFromInline
    final func lead(
        to target: StreamCore, under token: CancelToken,
        forwarding forward: @escaping @Sendable (AnyFuture, StreamCore) -> Void
    ) {
        let source = FutureSource(self)
        guard target.add(source) else { return }
        let producer = StreamProducer(target, source)
        let observer = Observer(
            Callback(route: .immediate, kind: .plumbing, target: nil) { source, _ in
                forward(source, producer.target)
                producer.end(cancelled: source.phase == .cancelled)
            })
        observe(observer, under: token)
        // Stored when it is registered: one that is removed before would stay registered with the token. The target may
        // have ended by then.
        source.observer.exchange(observer)
        if target.end != nil { source.cut() }
    }
}

/// Counts as a producer of a stream until its future is settled or unsubscribed.
private final class StreamProducer: Sendable {
    let target: StreamCore
    private let source: FutureSource
    private let hasEnded = Lock(false)

    init(_ target: StreamCore, _ source: FutureSource) {
        self.target = target
        self.source = source
    }

    deinit {
        guard !hasEnded.withLock({ $0 }) else { return }
        target.forget(source)
        // Only a token, or the end of the target, releases this object without a call. The latter is not changed.
        target.cancelAsTarget()
    }

    func end(cancelled: Bool = false) {
        hasEnded.exchange(true)
        target.forget(source)
        target.loseProducer(cancelled: cancelled)
    }
}

/// The entry of a future that emits into a stream, in the stream's list of sources.
private final class FutureSource: StreamSource, @unchecked Sendable {
    // Sendable like its superclass; everything else is constant or under a lock.

    /// The observer.
    ///
    /// Its body holds this object until it has run or is released.
    let observer = Lock<Observer?>(nil)
    // A variable, because compilers before 6.3 do not support weak constants.
    private weak var owner: AnyFuture?

    init(_ owner: AnyFuture) {
        self.owner = owner
        super.init()
    }

    override func cut() {
        if let observer = observer.exchange(nil) { owner?.withdraw(observer) }
    }
}
