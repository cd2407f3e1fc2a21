/// Returns a stream of pairs of the elements of two streams.
///
///     let moves = zip(positions, headings).map { position, heading in … }
///
/// Same as ``FutureStream/zip(_:cancelToken:)`` of the first stream.
///
/// - Parameters:
///   - first: The stream of the first elements.
///   - second: The stream of the second elements.
///   - cancelToken: When canceled, cancels the new stream.
@inlinable
public func zip<A: Sendable, B: Sendable>(
    _ first: FutureStream<A>, _ second: FutureStream<B>, cancelToken: CancelToken = .none
) -> FutureStream<(A, B)> {
    first.zip(second, cancelToken: cancelToken)
}

/// Returns a stream of the first elements of three streams, then of the second ones, and so on.
///
/// Same as ``zip(_:_:cancelToken:)`` of the first two streams, zipped with the third.
///
/// - Parameters:
///   - first: The stream of the first elements.
///   - second: The stream of the second elements.
///   - third: The stream of the third elements.
///   - cancelToken: When canceled, cancels the new stream.
@inlinable
public func zip<A: Sendable, B: Sendable, C: Sendable>(
    _ first: FutureStream<A>, _ second: FutureStream<B>, _ third: FutureStream<C>, cancelToken: CancelToken = .none
) -> FutureStream<(A, B, C)> {
    first.zip(second, cancelToken: cancelToken).pairing(third, under: cancelToken) { ($0.0, $0.1, $1) }
}

extension FutureStream {
    /// Returns a stream of pairs: the first element of this stream with the first of the other, and so on.
    ///
    /// If one element of a pair is a failure, the pair is that failure; if both are, it is this stream's failure.
    /// Elements wait for their partners without limit. When one of the streams has ended and all its elements are
    /// paired, the new stream ends like it: finished or canceled.
    ///
    /// - Parameters:
    ///   - other: The stream of the second elements.
    ///   - cancelToken: When canceled, cancels the new stream.
    @inlinable
    public func zip<A: Sendable>(_ other: FutureStream<A>, cancelToken: CancelToken = .none) -> FutureStream<(T, A)> {
        pairing(other, under: cancelToken) { ($0, $1) }
    }

    @inlinable
    func pairing<A: Sendable, Combined: Sendable>(
        _ other: FutureStream<A>, under token: CancelToken, _ combine: @escaping @Sendable (T, A) -> Combined
    ) -> FutureStream<Combined> {
        let derived = FutureStream<Combined>(producedWith: capacity)
        let outlet = StreamOutlet(Pairing<T, A>(), to: derived.core) { (output: Pairing<T, A>.Output, target) in
            switch output {
            case .pair(let first, let second): target.pass(first.flatMap { first in second.map { combine(first, $0) } })
            case .end(let signal): target.end(like: signal)
            }
        }
        core.subscribe(.everything, under: token, target: derived.core) { event, _ in
            outlet.feed { pairing, outputs in
                pairing.first.add(event)
                pairing.pair(into: &outputs)
            }
        }
        other.core.subscribe(.everything, under: token, target: derived.core) { event, _ in
            outlet.feed { pairing, outputs in
                pairing.second.add(event)
                pairing.pair(into: &outputs)
            }
        }
        return derived
    }
}

/// The elements that wait for their partners.
@usableFromInline @frozen
struct Pairing<A: Sendable, B: Sendable>: ~Copyable {
    @usableFromInline @frozen
    struct Side<Value: Sendable>: ~Copyable {
        @usableFromInline var waiting = RingBuffer<Try<Value>>()
        @usableFromInline var end: StreamSignal?

        @inlinable
        init() {}

        @inlinable
        mutating func add(_ event: StreamEvent) {
            if event.signal.isElement { waiting.append(event.result(as: Value.self)) } else { end = event.signal }
        }

        /// The end of the stream, if it has no element left to pair.
        @inlinable var exhausted: StreamSignal? { waiting.isEmpty ? end : nil }
    }

    @usableFromInline var first = Side<A>()
    @usableFromInline var second = Side<B>()

    @usableFromInline @frozen
    enum Output: Sendable {
        case pair(Try<A>, Try<B>)
        case end(StreamSignal)
    }

    @inlinable
    init() {}

    @inlinable
    mutating func pair(into outputs: inout RingBuffer<Output>) {
        while !first.waiting.isEmpty, !second.waiting.isEmpty,
            let left = first.waiting.popFirst(), let right = second.waiting.popFirst()
        {
            outputs.append(.pair(left, right))
        }
        if let end = first.exhausted ?? second.exhausted { outputs.append(.end(end)) }
    }
}

@available(*, unavailable)
extension Pairing: Sendable {}

@available(*, unavailable)
extension Pairing.Side: Sendable {}
