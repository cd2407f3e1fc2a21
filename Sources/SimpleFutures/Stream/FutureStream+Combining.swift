/// Returns a stream of the latest elements of two streams.
///
///     let isValid = combineLatest(names, passwords).map { !$0.isEmpty && $1.count > 7 }
///
/// It is ``FutureStream/combineLatest(_:cancelToken:)`` of the first.
///
/// - Parameters:
///   - first: The stream of the first elements.
///   - second: The stream of the second elements.
///   - cancelToken: Detaches the new stream from both; it is then canceled.
public func combineLatest<A: Sendable, B: Sendable>(
    _ first: FutureStream<A>, _ second: FutureStream<B>, cancelToken: CancelToken = .none
) -> FutureStream<(A, B)> {
    first.combineLatest(second, cancelToken: cancelToken)
}

/// Returns a stream of the latest elements of three streams.
///
/// It is ``combineLatest(_:_:cancelToken:)`` of the first two, and of that and the third.
///
/// - Parameters:
///   - first: The stream of the first elements.
///   - second: The stream of the second elements.
///   - third: The stream of the third elements.
///   - cancelToken: Detaches the new stream from all; it is then canceled.
public func combineLatest<A: Sendable, B: Sendable, C: Sendable>(
    _ first: FutureStream<A>, _ second: FutureStream<B>, _ third: FutureStream<C>, cancelToken: CancelToken = .none
) -> FutureStream<(A, B, C)> {
    first.combineLatest(second, cancelToken: cancelToken).combining(
        third, Latest<(A, B), C>(.either), under: cancelToken
    ) { ($0.0, $0.1, $1) }
}

extension FutureStream {
    /// Returns a stream of pairs of the latest values of this stream and another, a new pair with each value of either.
    ///
    ///     this          1       2               |
    ///     the other         a       b   c           |
    ///     new stream        1a  2a  2b  2c          |
    ///
    /// Nothing is emitted before both have emitted a value. Failures of both are passed on at once, and change nothing
    /// about the latest values. It ends when both have ended, or one of them has without a value; if one was canceled,
    /// it ends canceled. Values are as in Swift Async Algorithms and Combine, where a failure is the end.
    ///
    /// - Parameters:
    ///   - other: The stream of the second elements.
    ///   - cancelToken: Detaches the new stream from both; it is then canceled.
    public func combineLatest<A: Sendable>(
        _ other: FutureStream<A>, cancelToken: CancelToken = .none
    ) -> FutureStream<(T, A)> {
        combining(other, Latest(.either), under: cancelToken) { ($0, $1) }
    }

    /// Returns a stream of pairs: each value of this one, with the latest value of another.
    ///
    ///     let submissions = taps.withLatest(from: drafts).map { _, draft in draft }
    ///
    ///     this          1       2       3   4   |
    ///     the other         a       b
    ///     new stream            2a      3b  4b  |
    ///
    /// A value that comes before the other stream has one is left out. Failures of both are passed on at once, and change
    /// nothing about the latest value. It ends as this one does; the end of the other changes nothing. It is RxSwift's
    /// `withLatestFrom`; Combine and Swift Async Algorithms have no such operator.
    ///
    /// - Parameters:
    ///   - other: The stream of the second elements. It is subscribed to first, so that what it keeps is the latest value
    ///     for all that this one keeps.
    ///   - cancelToken: Detaches the new stream from both; it is then canceled.
    public func withLatest<A: Sendable>(
        from other: FutureStream<A>, cancelToken: CancelToken = .none
    ) -> FutureStream<(T, A)> {
        combining(other, Latest(.first), under: cancelToken) { ($0, $1) }
    }

    fileprivate func combining<A: Sendable, Combined: Sendable>(
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
private struct Latest<A: Sendable, B: Sendable>: ~Copyable {
    /// Whose values lead to a new pair.
    enum Trigger: Sendable {
        case either
        case first
    }

    enum Output: Sendable {
        case values(A, B)
        case failure(any Error)
        case end(StreamSignal)
    }

    typealias Outputs = RingBuffer<Output>

    let trigger: Trigger
    private var first = Side<A>()
    private var second = Side<B>()

    init(_ trigger: Trigger) { self.trigger = trigger }

    /// - Returns: What is no longer the latest, to be released outside of the lock.
    mutating func takeFirst(_ event: StreamEvent, _ outputs: inout Outputs) -> A? {
        let former = first.take(event)
        guard event.signal == .success else {
            pass(event, &outputs)
            return former
        }
        if let value = first.latest, let second = second.latest { outputs.append(.values(value, second)) }
        return former
    }

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

    private func pass(_ event: StreamEvent, _ outputs: inout Outputs) {
        if let error = event.error { return outputs.append(.failure(error)) }
        let ends: [StreamSignal?] =
            switch trigger {
            case .first: [first.end]
            case .either where first.latest == nil && first.end != nil: [first.end]
            case .either where second.latest == nil && second.end != nil: [second.end]
            case .either: [first.end, second.end]
            }
        guard ends.allSatisfy({ $0 != nil }) else { return }
        outputs.append(.end(ends.contains(.cancellation) ? .cancellation : .finish))
    }
}

/// The latest value of one of the streams, and its end.
private struct Side<Value: Sendable>: Sendable {
    var latest: Value?
    var end: StreamSignal?

    /// - Returns: The value that is no longer the latest.
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
