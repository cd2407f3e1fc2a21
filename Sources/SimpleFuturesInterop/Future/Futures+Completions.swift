public import SimpleFutures

extension Sequence where Element: Futurable {
    /// The results of all futures, as they come, each with the index of its future.
    ///
    ///     for await (index, result) in mirrors.map(load).completions {
    ///         show(result, of: mirrors[index])
    ///     }
    ///
    /// There are as many elements as futures, so it never looks like the end when it is not: a canceled future counts
    /// as a failure with `CancellationError`; and if the task is canceled, so do all that are still pending, at once.
    /// Futures that are completed when the loop begins come first, in order.
    ///
    /// A loop that is left early leaves nothing registered on the futures, and cancels none of them.
    public var completions: FutureCompletions<Element.T> { FutureCompletions(futures: map { $0.asFuture() }) }

    /// The values of all futures, in the order of the futures; the first failure in time is thrown at once, wherever it
    /// stands.
    ///
    ///     for try await page in urls.map(load).valuesInOrder { show(page) }
    ///
    /// A canceled future, and the cancellation of the task while it waits, throw `CancellationError`. Values that were
    /// there and not yet delivered are left where they are: in the futures. For all results use ``completions``.
    ///
    /// A loop that is left early leaves nothing registered on the futures, and cancels none of them.
    public var valuesInOrder: FutureValues<Element.T> { FutureValues(futures: map { $0.asFuture() }) }
}

/// The results of futures in the order of their completion: see `completions` of sequences of futures.
public struct FutureCompletions<T: Sendable>: AsyncSequence, Sendable {
    /// Which future, and what came of it.
    public typealias Element = (index: Int, result: Try<T>)
    /// Nothing is thrown.
    public typealias Failure = Never

    let futures: [Future<T>]

    /// Registers with all futures that are pending.
    public func makeAsyncIterator() -> Iterator { Iterator(CompletionWatch(futures)) }

    /// Iterates over the results; when it is dropped, nothing remains registered.
    public struct Iterator: AsyncIteratorProtocol {
        private let watch: CompletionWatch<T>

        init(_ watch: CompletionWatch<T>) { self.watch = watch }

        /// The next result, as soon as there is one; nil when all have come.
        public mutating func next() async -> Element? {
            guard let index = await watch.next() else { return nil }
            return (index, watch.futures[index].settledResult(as: T.self) ?? .failure(CancellationError()))
        }

        /// The next result: ``next()`` for a caller that names its actor, on which it stays.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        nonisolated(nonsending) public mutating func next(isolation actor: (any Actor)?) async -> Element? {
            await next()
        }
    }
}

/// The values of futures in the order of the futures: see `valuesInOrder` of sequences of futures.
public struct FutureValues<T: Sendable>: AsyncSequence, Sendable {
    /// A value.
    public typealias Element = T
    /// The error of a future, or `CancellationError`.
    public typealias Failure = any Error

    let futures: [Future<T>]

    /// Registers with all futures that are pending.
    public func makeAsyncIterator() -> Iterator { Iterator(CompletionWatch(futures)) }

    /// Iterates over the values; when it is dropped, nothing remains registered.
    public struct Iterator: AsyncIteratorProtocol {
        private let watch: CompletionWatch<T>
        /// The next one in order.
        private var index = 0
        private var hasEnded = false

        init(_ watch: CompletionWatch<T>) { self.watch = watch }

        /// The next value, as soon as it is there; nil after the last one, and after an error was thrown.
        public mutating func next() async throws -> T? {
            guard !hasEnded, index < watch.futures.count else { return nil }
            do {
                try await wait()
                let value = try watch.futures[index].resultAfterWaiting()
                index += 1
                return value
            } catch {
                hasEnded = true
                throw error
            }
        }

        /// The next value: ``next()`` for a caller that names its actor, on which it stays.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        nonisolated(nonsending) public mutating func next(isolation actor: (any Actor)?) async throws(any Error) -> T? {
            try await next()
        }

        /// Looks at what has come, a failure before all else, until the next one in order is there.
        private func wait() async throws {
            while let index = watch.take() { try check(index) }
            while watch.futures[index].phase != .succeeded {
                guard let index = await watch.next() else { return }
                try check(index)
            }
        }

        private func check(_ index: Int) throws {
            if watch.futures[index].phase != .succeeded { _ = try watch.futures[index].resultAfterWaiting() }
        }
    }
}

/// An iterator is for one task.
@available(*, unavailable)
extension FutureCompletions.Iterator: Sendable {}

/// An iterator is for one task.
@available(*, unavailable)
extension FutureValues.Iterator: Sendable {}
