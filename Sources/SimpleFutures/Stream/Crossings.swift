// From a future to a stream, and back. What leads from a stream to futures and stays a stream is with the streams.

extension Futurable {
    /// Returns a stream of the elements of the stream that a closure makes of the value: connect, then listen.
    ///
    ///     let readings: FutureStream<Reading> =
    ///         device.connect().flatMap(capacity: 0) { $0.readings() }
    ///
    /// It finishes when that stream does; a failure of this future is its only element; if one of the two is canceled,
    /// so is the new stream.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - context: The context that runs the closure. The inner stream emits into the new one without a thread hop.
    ///   - cancelToken: Detaches the closure, or, after it has run, the new stream from the inner one. Either way the
    ///     new stream is canceled.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    ///   - mapping: Runs once if this future succeeds. What it throws is the only element.
    @preconcurrency
    public func flatMap<M: Sendable>(
        capacity: Int = Int.max, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        mapping: @escaping @Sendable (T) throws -> FutureStream<M>
    ) -> FutureStream<M> {
        requireCapacity(capacity, fileID, line)
        return map(context: context, cancelToken: cancelToken, mapping: mapping)
            .flattened(capacity: capacity, under: cancelToken)
    }

    /// Returns a stream of the value; or, if there comes none, of the elements of the stream that a closure makes of the error.
    ///
    /// It finishes when that stream does, or after the value; if one of the two is canceled, so is the new stream.
    ///
    /// - Parameters:
    ///   - capacity: The number of newest elements to replay to later subscribers. It must not be negative.
    ///   - context: The context that runs the closure. The inner stream emits into the new one without a thread hop.
    ///   - cancelToken: Detaches the closure, or, after it has run, the new stream from the inner one. Either way the
    ///     new stream is canceled.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    ///   - recovery: Runs once if this future fails. What it throws is the only element.
    @preconcurrency
    public func recoverWith(
        capacity: Int = Int.max, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        recovery: @escaping @Sendable (any Error) throws -> FutureStream<T>
    ) -> FutureStream<T> {
        requireCapacity(capacity, fileID, line)
        return map(context: ImmediateContext(), cancelToken: cancelToken) { FutureStream(only: $0) }
            .recover(context: context, cancelToken: cancelToken, recovery: recovery)
            .flattened(capacity: capacity, under: cancelToken)
    }
}

extension Future {
    /// Completes this future with the first element of a stream, and lets go of the stream.
    ///
    /// A stream that finishes without one fails it with ``FuturesError/noSuchElement``; one that is canceled cancels
    /// it. The stream is one producer: if something else completes this future first, the stream is let go too.
    ///
    /// - Parameters:
    ///   - context: Ignored. It is there for compatibility with SimpleFutures 0.2.
    ///   - stream: The stream whose first element to take; one that it keeps will do.
    @preconcurrency
    public func completeWith(context: any ExecutionContext = QueueContext.futuresDefault, stream: FutureStream<T>) {
        guard gainProducer() else { return }
        let link = CancelToken()
        let target = FutureProducer(self)
        stream.core.subscribe(.everything, under: link) { event, _ in
            switch event.signal {
            case .success, .failure: target.future.settle(event.result(as: T.self))
            case .finish: target.future.settle(.failure(FuturesError.noSuchElement))
            case .cancellation: target.future.cancelAsTarget()
            }
            link.cancel()
        }
        observe(.plumbing) { _, _ in link.cancel() }
    }

    /// Makes this future a source of a stream, of which it takes over a producer.
    @usableFromInline
    package func lead(to target: StreamCore, under token: CancelToken) {
        let source = FutureSource(self)
        guard target.add(source) else { return }
        let producer = StreamProducer(target, source, under: token)
        let observer = Observer(
            Callback(route: .immediate, kind: .plumbing, target: nil) { source, _ in
                if let result = source.settledResult(as: T.self) {
                    producer.target.pass(result)
                    producer.end()
                } else {
                    producer.end(cancelled: true)
                }
            })
        source.observer.exchange(observer)
        observe(observer, under: token)
        // The target may have ended before there was an observer.
        if target.end != nil { source.cut() }
    }

    /// A stream of what the value emits; of the error, if there is none.
    fileprivate func flattened<M: Sendable>(capacity: Int, under token: CancelToken) -> FutureStream<M>
    where T == FutureStream<M> {
        let derived = FutureStream<M>(producedWith: capacity)
        observe(.plumbing) { [core = derived.core] source, _ in
            switch source.settledResult(as: T.self) {
            case .success(let inner): inner.lead(to: core, under: token, joins: false)
            case .failure(let error): core.fail(error)
            case nil: core.cancelAsTarget()
            }
        }
        return derived
    }
}

extension FutureStream {
    /// Returns a future of the first element, a value or an error; then it leaves the stream.
    ///
    ///     let position = locations.first()
    ///
    /// An element that the stream keeps for later subscribers will do. If the stream finishes without one, the future
    /// fails with ``FuturesError/noSuchElement``; if it is canceled, so is the future.
    ///
    /// - Parameter cancelToken: Leaves the stream, and cancels the future.
    public func first(cancelToken: CancelToken = .none) -> Future<T> {
        let first = Future<T>()
        first.completeWith(stream: self)
        guard !cancelToken.isNone, first.phase == .pending else { return first }
        let registration = cancelToken.onCancel { first.cancelAsTarget() }
        first.observe(.plumbing) { _, _ in registration.cancel() }
        return first
    }

    /// Returns a future of what remains when a closure has combined all values: completed when the stream finishes.
    ///
    ///     let size = chunks.reduce(0) { $0 + $1.count }
    ///
    /// The first failure fails it, and lets go of the stream; a canceled stream cancels it. A stream that never
    /// finishes leaves it pending: see ``scan(_:context:cancelToken:_:)``.
    ///
    /// - Parameters:
    ///   - initial: What the closure gets with the first value, and the result if there is none.
    ///   - context: Where the closure runs, for one value at a time.
    ///   - cancelToken: Detaches the closure; the future is then canceled.
    ///   - combine: Runs once per value. If it throws, the future fails.
    public func reduce<R: Sendable>(
        _ initial: R, context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ combine: @escaping @Sendable (R, T) throws -> R
    ) -> Future<R> {
        let last = Memory(initial)
        let answer = FutureStream<R>(producedWith: 1)
        core.subscribe(.everything, on: context, under: cancelToken, target: answer.core) { event, answer in
            switch event.signal {
            case .success:
                do { last.value = try combine(last.value, event.value(as: T.self)) } catch { answer?.fail(error) }
            case .failure: if let error = event.error { answer?.fail(error) }
            case .finish:
                answer?.pass(.success(last.value))
                answer?.finish()
            case .cancellation: answer?.cancelAsTarget()
            }
        }
        let result = Future<R>()
        result.completeWith(stream: answer)
        return result
    }

    /// A stream of one value that has finished.
    fileprivate convenience init(only value: T) {
        self.init(value: value)
        finish()
    }
}

extension StreamCore {
    /// Emits an error and ends.
    fileprivate func fail(_ error: any Error) {
        emit(error: error)
        finish()
    }
}

/// The part of a producer that a link to a future plays, until the link is gone.
private final class FutureProducer<T: Sendable>: Sendable {
    let future: Future<T>

    init(_ future: Future<T>) { self.future = future }

    // After a completion it has no effect.
    deinit { future.loseProducer() }
}

/// The part of a producer that a future plays for a stream, until it is settled or detached.
private final class StreamProducer: Sendable {
    let target: StreamCore
    private let source: FutureSource
    private let token: CancelToken
    private let hasEnded = Lock(false)

    init(_ target: StreamCore, _ source: FutureSource, under token: CancelToken) {
        self.target = target
        self.source = source
        self.token = token
    }

    deinit {
        guard !hasEnded.withLock({ $0 }) else { return }
        leave()
        // Only a token detaches it without a call, or the end of the target.
        if token.isNone { target.loseProducer() } else { target.cancelAsTarget() }
    }

    func end(cancelled: Bool = false) {
        hasEnded.exchange(true)
        leave()
        target.loseProducer(cancelled: cancelled)
    }

    private func leave() {
        target.forget(source)
        source.observer.exchange(nil)
    }
}

/// A future that emits into a stream, in the list of that.
private final class FutureSource: StreamSource, @unchecked Sendable {
    // Sendable as its superclass is; the rest is constant or under a lock.

    /// The observer, whose body holds this in turn until it has run or is let go.
    let observer = Lock<Observer?>(nil)
    // A variable for compilers before 6.3, which know no weak constant.
    private weak var owner: AnyFuture?

    init(_ owner: AnyFuture) {
        self.owner = owner
        super.init()
    }

    override func cut() {
        if let observer = observer.exchange(nil) { owner?.withdraw(observer) }
    }
}
