public import SimpleFutures

extension Sequence where Element: Futurable {
    /// The results of all futures, as they arrive, each with the index of its future.
    ///
    ///     for await (index, result) in mirrors.map({ client.load($0) }).completions {
    ///         print(mirrors[index], result)
    ///     }
    ///
    /// There are as many elements as futures: a canceled future counts as a failure with `CancellationError`, and if
    /// the task is canceled, so do all futures that are still pending, at once. Futures that are completed when the
    /// loop begins come first, in order.
    ///
    /// A loop that is left early removes its registrations, and does not cancel the futures. When it begins, it raises
    /// the tasks behind the futures to its priority, on systems that support this.
    public var completions: FutureCompletions<Element.T> { FutureCompletions(futures: map { $0.asFuture() }) }

    /// The values of all futures, in the order of the futures.
    ///
    /// The first failure in time of any future is thrown at once; of failures before the loop, the first in order.
    ///
    ///     for try await page in urls.map({ client.load($0) }).valuesInOrder { show(page) }
    ///
    /// A canceled future throws `CancellationError`, and so does a cancellation of the task during the wait. Values
    /// that the loop has not received stay in the futures. For all results use ``completions``.
    ///
    /// A loop that is left early removes its registrations, and does not cancel the futures. When it begins, it raises
    /// the tasks behind the futures to its priority, on systems that support this.
    public var valuesInOrder: FutureValues<Element.T> { FutureValues(futures: map { $0.asFuture() }) }
}

/// The results of futures in the order of their completion: see `completions` of sequences of futures.
public struct FutureCompletions<T: Sendable>: AsyncSequence, Sendable {
    /// The index of a future and its result.
    public typealias Element = (index: Int, result: Try<T>)
    /// Errors are never thrown.
    public typealias Failure = Never

    let futures: [Future<T>]

    /// Registers with all pending futures.
    public func makeAsyncIterator() -> Iterator { Iterator(CompletionWatch(futures)) }

    /// Iterates over the results.
    ///
    /// When it is released, it removes its registrations.
    public struct Iterator: AsyncIteratorProtocol {
        private let watch: CompletionWatch<T>

        init(_ watch: CompletionWatch<T>) { self.watch = watch }

        /// Waits for the next result.
        ///
        /// Returns nil after the last one.
        public mutating func next() async -> Element? {
            guard let index = await watch.next() else { return nil }
            return (index, watch.futures[index].settledResult(as: T.self) ?? .failure(taskCancellation()))
        }

        /// Waits for the next result, like ``next()``, and stays on the caller's actor.
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

    /// Registers with all pending futures.
    public func makeAsyncIterator() -> Iterator { Iterator(CompletionWatch(futures)) }

    /// Iterates over the values.
    ///
    /// When it is released, it removes its registrations.
    public struct Iterator: AsyncIteratorProtocol {
        private let watch: CompletionWatch<T>
        /// The index of the next future in order.
        private var index = 0
        private var hasEnded = false

        init(_ watch: CompletionWatch<T>) { self.watch = watch }

        /// Waits for the next value.
        ///
        /// Returns nil after the last one, and after an error was thrown.
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

        /// Waits for the next value, like ``next()``, and stays on the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        nonisolated(nonsending) public mutating func next(isolation actor: (any Actor)?) async throws(any Error) -> T? {
            try await next()
        }

        /// Checks the futures that have ended, failures first, until the next one in order has a value.
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

/// Used by one task.
@available(*, unavailable)
extension FutureCompletions.Iterator: Sendable {}

/// Used by one task.
@available(*, unavailable)
extension FutureValues.Iterator: Sendable {}
