import SimpleFutures
import SimpleFuturesInterop

extension StreamMachine {
    /// Subscribes now, and iterates in a task.
    func iterate(
        _ id: Int, _ loop: StreamProgram.Loop, over stream: FutureStream<Payload>, _ limit: Int?,
        _ policy: StreamBufferingPolicy
    ) -> Task<Void, Never> {
        let iterator: ElementIterator =
            loop == .results
            ? .results(stream.results(buffering: policy).makeAsyncIterator())
            : .values(stream.subscription(buffering: policy).makeAsyncIterator())
        return Task { [self] in
            await iterate(id, iterator, limit, policy)
            noteEnd(id)
        }
    }

    private func iterate(
        _ id: Int, _ iterator: ElementIterator, _ limit: Int?, _ policy: StreamBufferingPolicy
    ) async {
        var iterator = iterator
        // For a loop that was left, this depends on its speed.
        defer { if policy != .unbounded { noteLoss(id, iterator.droppedCount) } }
        var count = 0
        while true {
            let (element, isLast) = await iterator.next()
            jitter?.pass()
            note(id, element)
            count += 1
            if isLast || count == limit || element == .cancellationError { return }
        }
    }
}

/// An iterator over the results of a stream, or over its values.
private enum ElementIterator {
    case results(FutureStreamResults<Payload>.Iterator)
    case values(FutureStreamValues<Payload>.Iterator)

    var droppedCount: Int {
        switch self {
        case .results(let iterator): iterator.droppedCount
        case .values(let iterator): iterator.droppedCount
        }
    }

    var isEmpty: Bool {
        switch self {
        case .results(let iterator): iterator.isEmpty
        case .values(let iterator): iterator.isEmpty
        }
    }

    /// The next element, the error that ends a loop over values, or the end; and whether nothing follows.
    mutating func next() async -> (element: End, isLast: Bool) {
        switch self {
        case .results(var iterator):
            defer { self = .results(iterator) }
            return await iterator.next().map { (End($0), false) } ?? (.finished, true)
        case .values(var iterator):
            defer { self = .values(iterator) }
            do {
                return try await iterator.next().map { (.success($0.number), false) } ?? (.finished, true)
            } catch {
                return (End(error), true)
            }
        }
    }
}

/// An iterator with a buffer.
///
/// One task at a time takes the available elements, without waiting.
final class Puller: @unchecked Sendable {
    // Sendable: the code that uses the iterator has removed it from the state.

    private let iterator: Lock<ElementIterator?>
    private let isOver = Lock(false)

    init(_ loop: StreamProgram.Loop, over stream: FutureStream<Payload>, _ policy: StreamBufferingPolicy) {
        iterator = Lock(
            loop == .results
                ? .results(stream.results(buffering: policy).makeAsyncIterator())
                : .values(stream.values(buffering: policy).makeAsyncIterator()))
    }

    /// Nil while a task uses the iterator.
    var dropped: Int? { iterator.withLock { $0?.droppedCount } }

    func pull(_ count: Int, _ note: (End) -> Void) async {
        guard var taken = iterator.exchange(nil) else { return }
        for _ in 0..<count where !isOver.withLock({ $0 }) && !taken.isEmpty {
            let (element, isLast) = await taken.next()
            note(element)
            isOver.withLock { $0 = isLast }
        }
        _ = iterator.exchange(taken)
    }
}

extension StreamProgram.Buffering {
    var policy: StreamBufferingPolicy {
        switch kind {
        case .newest: .newest(bound)
        case .oldest: .oldest(bound)
        case .failing: .failing(bound)
        case .reportingLag: .reportingLag(bound)
        }
    }
}
