/// Returns a stream of the latest elements of two streams.
///
///     let isValid = combineLatest(names, passwords).map { !$0.isEmpty && $1.count > 7 }
///
/// Same as ``FutureStream/combineLatest(_:cancelToken:)`` of the first stream.
///
/// - Parameters:
///   - first: The stream of the first elements.
///   - second: The stream of the second elements.
///   - cancelToken: When canceled, cancels the new stream.
@inlinable
public func combineLatest<A: Sendable, B: Sendable>(
    _ first: FutureStream<A>, _ second: FutureStream<B>, cancelToken: CancelToken = .none
) -> FutureStream<(A, B)> {
    first.combineLatest(second, cancelToken: cancelToken)
}

/// Returns a stream of the latest elements of three streams.
///
/// Same as ``combineLatest(_:_:cancelToken:)`` of the first two streams, combined with the third.
///
/// - Parameters:
///   - first: The stream of the first elements.
///   - second: The stream of the second elements.
///   - third: The stream of the third elements.
///   - cancelToken: When canceled, cancels the new stream.
@inlinable
public func combineLatest<A: Sendable, B: Sendable, C: Sendable>(
    _ first: FutureStream<A>, _ second: FutureStream<B>, _ third: FutureStream<C>, cancelToken: CancelToken = .none
) -> FutureStream<(A, B, C)> {
    first.combineLatest(second, cancelToken: cancelToken).combining(
        third, Latest<(A, B), C>(.either), under: cancelToken
    ) { ($0.0, $0.1, $1) }
}

/// Returns a stream of the latest elements of four streams.
///
/// Same as ``combineLatest(_:_:_:cancelToken:)`` of the first three streams, combined with the fourth.
///
/// - Parameters:
///   - first: The stream of the first elements.
///   - second: The stream of the second elements.
///   - third: The stream of the third elements.
///   - fourth: The stream of the fourth elements.
///   - cancelToken: When canceled, cancels the new stream.
@inlinable
public func combineLatest<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
    _ first: FutureStream<A>, _ second: FutureStream<B>, _ third: FutureStream<C>, _ fourth: FutureStream<D>,
    cancelToken: CancelToken = .none
) -> FutureStream<(A, B, C, D)> {
    combineLatest(first, second, third, cancelToken: cancelToken).combining(
        fourth, Latest<(A, B, C), D>(.either), under: cancelToken
    ) { ($0.0, $0.1, $0.2, $1) }
}

extension FutureStream {
    /// Returns a stream of pairs of the latest values of this stream and another, a new pair with each value of either.
    ///
    ///     this          1       2               |
    ///     the other         a       b   c           |
    ///     new stream        1a  2a  2b  2c          |
    ///
    /// Nothing is emitted before both have emitted a value. Failures of both are passed on at once, and do not affect
    /// the latest values. The new stream ends when both have ended, or when one of them has ended without a value; if
    /// one was canceled, it is canceled. Values are combined as in Swift Async Algorithms and Combine, in which a
    /// failure also ends the stream.
    ///
    /// - Parameters:
    ///   - other: The stream of the second elements.
    ///   - cancelToken: When canceled, cancels the new stream.
    @inlinable
    public func combineLatest<A: Sendable>(
        _ other: FutureStream<A>, cancelToken: CancelToken = .none
    ) -> FutureStream<(T, A)> {
        combining(other, Latest(.either), under: cancelToken) { ($0, $1) }
    }

    /// Returns a stream of pairs: each value of this stream with the latest value of another.
    ///
    ///     let submissions = clicks.withLatest(from: names).map { _, name in name }
    ///
    ///     this          1       2       3   4   |
    ///     the other         a       b
    ///     new stream            2a      3b  4b  |
    ///
    /// Values that arrive before the other stream has one are dropped. Failures of both are passed on at once, and do
    /// not affect the latest value. The new stream ends like this one; the end of the other stream has no effect.
    /// RxSwift has the same operator, `withLatestFrom`; Combine and Swift Async Algorithms do not.
    ///
    /// - Parameters:
    ///   - other: The stream of the second elements. It is subscribed to first, so that its replayed value is the
    ///     latest value for all elements that this stream replays. Inside a callback of the library both replay in
    ///     turns.
    ///   - cancelToken: When canceled, cancels the new stream.
    @inlinable
    public func withLatest<A: Sendable>(
        from other: FutureStream<A>, cancelToken: CancelToken = .none
    ) -> FutureStream<(T, A)> {
        combining(other, Latest(.first), under: cancelToken) { ($0, $1) }
    }

    @inlinable
    func combining<A: Sendable, Combined: Sendable>(
        _ other: FutureStream<A>, _ latest: consuming Latest<T, A>, under token: CancelToken,
        _ combine: @escaping @Sendable (T, A) -> Combined
    ) -> FutureStream<Combined> {
        let derived = FutureStream<Combined>(producedWith: capacity)
        let isFirstLast = latest.trigger == .first
        let outlet = StreamOutlet(latest, to: derived.core) { (output: Latest<T, A>.Output, target) in
            switch output {
            case .values(let first, let second): target.pass(Try.success(combine(first, second)))
            case .failure(let error): target.pass(Try<Combined>.failure(error))
            case .end(let signal): target.end(like: signal)
            }
        }
        func subscribeToFirst() {
            core.subscribe(.everything, under: token, target: derived.core) { event, _ in
                _ = outlet.feed { $0.takeFirst(event, &$1) }
            }
        }
        if !isFirstLast { subscribeToFirst() }
        other.core.subscribe(.everything, under: token, target: derived.core) { event, _ in
            _ = outlet.feed { $0.takeSecond(event, &$1) }
        }
        if isFirstLast { subscribeToFirst() }
        return derived
    }
}

/// The latest values of two streams.
@usableFromInline @frozen
struct Latest<A: Sendable, B: Sendable>: ~Copyable {
    /// The streams whose values emit a new pair.
    @usableFromInline @frozen
    enum Trigger: Sendable {
        case either
        case first
    }

    @usableFromInline @frozen
    enum Output: Sendable {
        case values(A, B)
        case failure(any Error)
        case end(StreamSignal)
    }

    @usableFromInline
    typealias Outputs = RingBuffer<Output>

    @usableFromInline let trigger: Trigger
    @usableFromInline var first = Side<A>()
    @usableFromInline var second = Side<B>()

    @inlinable
    init(_ trigger: Trigger) { self.trigger = trigger }

    /// - Returns: The former latest value, to be released outside the lock.
    @inlinable
    mutating func takeFirst(_ event: StreamEvent, _ outputs: inout Outputs) -> A? {
        let former = first.take(event)
        guard event.signal == .success else {
            pass(event, &outputs)
            return former
        }
        if let value = first.latest, let second = second.latest { outputs.append(.values(value, second)) }
        // Only the latest value of the other stream is needed later.
        return trigger == .first ? first.latest.take() : former
    }

    @inlinable
    mutating func takeSecond(_ event: StreamEvent, _ outputs: inout Outputs) -> B? {
        let former = second.take(event)
        guard event.signal == .success else {
            pass(event, &outputs)
            return former
        }
        if trigger == .either, let first = first.latest, let value = second.latest {
            outputs.append(.values(first, value))
        }
        return former
    }

    @inlinable
    func pass(_ event: StreamEvent, _ outputs: inout Outputs) {
        if let error = event.error { return outputs.append(.failure(error)) }
        let isOver =
            switch trigger {
            case .first: first.end != nil
            case .either: first.isEmptyForGood || second.isEmptyForGood || first.end != nil && second.end != nil
            }
        guard isOver else { return }
        let isCancelled = first.end == .cancellation || trigger == .either && second.end == .cancellation
        outputs.append(.end(isCancelled ? .cancellation : .finish))
    }
}

/// The latest value of one of the streams, and its end.
@usableFromInline @frozen
struct Side<Value: Sendable>: Sendable {
    @usableFromInline var latest: Value?
    @usableFromInline var end: StreamSignal?

    @inlinable
    init() {}

    /// Whether it has ended without a value.
    @inlinable var isEmptyForGood: Bool { latest == nil && end != nil }

    /// - Returns: The former latest value.
    @inlinable
    mutating func take(_ event: StreamEvent) -> Value? {
        switch event.signal {
        case .success:
            defer { latest = event.value(as: Value.self) }
            return latest
        case .failure: break
        case .finish, .cancellation: end = event.signal
        }
        return nil
    }
}
