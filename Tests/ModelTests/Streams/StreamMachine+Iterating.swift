import SimpleFutures
import SimpleFuturesInterop

extension StreamMachine {
    /// Subscribes now, and iterates in a task.
    func iterate(
        _ id: Int, _ loop: StreamProgram.Loop, over stream: FutureStream<Payload>, _ limit: Int?,
        _ policy: StreamBufferingPolicy
    ) -> Task<Void, Never> {
        switch loop {
        case .results:
            let iterator = stream.results(buffering: policy).makeAsyncIterator()
            return Task { [self] in
                await iterate(id, iterator, limit, policy)
                noteEnd(id)
            }
        case .values:
            let subscription = stream.subscription(buffering: policy)
            return Task { [self] in
                await iterate(id, subscription.makeAsyncIterator(), limit, policy)
                noteEnd(id)
            }
        }
    }

    private func iterate(
        _ id: Int, _ iterator: FutureStreamResults<Payload>.Iterator, _ limit: Int?, _ policy: StreamBufferingPolicy
    ) async {
        var iterator = iterator
        // For a loop that was left, this depends on its speed.
        defer { if policy != .unbounded { noteLoss(id, iterator.droppedCount) } }
        var count = 0
        while let result = await iterator.next() {
            jitter?.pass()
            note(id, End(result))
            count += 1
            if count == limit || End(result) == .cancellationError { return }
        }
        note(id, .finished)
    }

    private func iterate(
        _ id: Int, _ iterator: FutureStreamValues<Payload>.Iterator, _ limit: Int?, _ policy: StreamBufferingPolicy
    ) async {
        var iterator = iterator
        defer { if policy != .unbounded { noteLoss(id, iterator.droppedCount) } }
        var count = 0
        do {
            while let value = try await iterator.next() {
                jitter?.pass()
                note(id, .success(value.number))
                count += 1
                if count == limit { return }
            }
            note(id, .finished)
        } catch {
            note(id, End(error))
        }
    }
}

/// An iterator with a buffer.
///
/// One task at a time takes the available elements, without waiting.
final class Puller: @unchecked Sendable {
    // Sendable: the code that uses the iterator has removed it from the state.

    private enum Iterator {
        case results(FutureStreamResults<Payload>.Iterator)
        case values(FutureStreamValues<Payload>.Iterator)
    }

    private let iterator: Lock<Iterator?>
    private let isOver = Lock(false)

    init(_ loop: StreamProgram.Loop, over stream: FutureStream<Payload>, _ policy: StreamBufferingPolicy) {
        iterator = Lock(
            loop == .results
                ? .results(stream.results(buffering: policy).makeAsyncIterator())
                : .values(stream.values(buffering: policy).makeAsyncIterator()))
    }

    /// Nil while a task uses the iterator.
    var dropped: Int? {
        iterator.withLock {
            switch $0 {
            case .results(let iterator): iterator.droppedCount
            case .values(let iterator): iterator.droppedCount
            case nil: nil
            }
        }
    }

    func pull(_ count: Int, _ note: (End) -> Void) async {
        guard var taken = iterator.exchange(nil) else { return }
        for _ in 0..<count where !isOver.withLock({ $0 }) {
            guard let end = await Self.next(of: &taken) else { break }
            note(end.element)
            isOver.withLock { $0 = end.isLast }
        }
        _ = iterator.exchange(taken)
    }

    /// The available element, and whether it is the last; nil if there is none.
    private static func next(of iterator: inout Iterator) async -> (element: End, isLast: Bool)? {
        switch iterator {
        case .results(var results):
            guard !results.isEmpty else { return nil }
            defer { iterator = .results(results) }
            return await results.next().map { (End($0), false) } ?? (.finished, true)
        case .values(var values):
            guard !values.isEmpty else { return nil }
            defer { iterator = .values(values) }
            do {
                return try await values.next().map { (.success($0.number), false) } ?? (.finished, true)
            } catch {
                return (End(error), true)
            }
        }
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
