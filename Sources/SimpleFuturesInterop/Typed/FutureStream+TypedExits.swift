public import SimpleFutures

extension FutureStream {
    /// The values, for a `for try await` loop that throws errors of one type.
    ///
    ///     func draw() async throws(APIError) {
    ///         for try await position in positions.values(throwing: APIError.self) { show(position) }
    ///     }
    ///
    /// It iterates like `values(buffering:)`: the first failure or the cancellation ends the loop. The type's `init(other:)`
    /// converts errors of other types. If your app supports systems before macOS 15 and iOS 18, the compiler assumes that
    /// such a loop throws any error: use `results(throwing:)` there.
    ///
    /// - Parameters:
    ///   - failure: The type to throw. If it cannot hold other errors, pass ``Stopped`` of it.
    ///   - policy: Decides what to do with values that arrive faster than the loop takes them.
    @inlinable
    public func values<Failure: FailureConvertible>(
        throwing failure: Failure.Type, buffering policy: StreamBufferingPolicy = .unbounded
    ) -> TypedStreamValues<T, Failure> {
        TypedStreamValues(values(buffering: policy))
    }

    /// The values and failures, for a `for await` loop that continues after a failure.
    ///
    /// It iterates like `results(buffering:)`: a cancellation is the last element. The type's `init(other:)` converts errors
    /// of other types.
    ///
    /// - Parameters:
    ///   - failure: The type of the errors. If it cannot hold other errors, pass ``Stopped`` of it.
    ///   - policy: Decides what to do with elements that arrive faster than the loop takes them.
    @inlinable
    public func results<Failure: FailureConvertible>(
        throwing failure: Failure.Type, buffering policy: StreamBufferingPolicy = .unbounded
    ) -> TypedStreamResults<T, Failure> {
        TypedStreamResults(results(buffering: policy))
    }

    /// Runs a closure with each element, with errors of one type.
    ///
    /// Returns the stream, so that callbacks chain.
    ///
    /// - Parameters:
    ///   - failure: The type of the errors. If it cannot hold other errors, pass ``Stopped`` of it.
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each element, one after the other.
    @inlinable @discardableResult
    public func onResult<Failure: FailureConvertible>(
        throwing failure: Failure.Type, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, completion: @escaping @Sendable (Result<T, Failure>) -> Void
    ) -> Self {
        onComplete(context: context, cancelToken: cancelToken) { element in
            completion(element.result.mapError { .converted($0) })
        }
        return self
    }

    /// Runs a closure on the caller's actor with each element, with errors of one type.
    ///
    /// Returns the stream, so that callbacks chain.
    ///
    /// - Parameters:
    ///   - failure: The type of the errors. If it cannot hold other errors, pass ``Stopped`` of it.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each element, one after the other.
    @discardableResult
    public func onResult<Failure: FailureConvertible>(
        throwing failure: Failure.Type, cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion:
            @escaping @isolated(any) @Sendable (Result<T, Failure>) -> Void
    ) -> Self {
        onResult(
            throwing: failure, context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
        return self
    }

    /// Returns the same stream with a type for its errors.
    ///
    /// This converts nothing. Errors of other types are converted when you iterate, or when a callback receives them.
    ///
    /// - Parameter failure: The type of its errors.
    @inlinable
    public func typed<Failure: Error>(as failure: Failure.Type) -> TypedStream<T, Failure> { TypedStream(self) }
}

/// The values of a stream, for a loop that throws errors of one type.
///
/// See `FutureStream.values(throwing:buffering:)`.
public struct TypedStreamValues<T: Sendable, Failure: FailureConvertible>: AsyncSequence, Sendable {
    /// A value.
    public typealias Element = T

    @usableFromInline let values: FutureStreamValues<T>

    @usableFromInline
    init(_ values: FutureStreamValues<T>) { self.values = values }

    /// Subscribes to the stream, and receives the elements that it replays.
    @inlinable
    public func makeAsyncIterator() -> Iterator { Iterator(values.makeAsyncIterator()) }

    /// Iterates over the values; it unsubscribes when it is released.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline var values: FutureStreamValues<T>.Iterator

        @usableFromInline
        init(_ values: FutureStreamValues<T>.Iterator) { self.values = values }

        /// The number of elements that were lost because the buffer was full or the iteration had ended.
        public var droppedCount: Int { values.droppedCount }

        /// Returns the next value when it is there, or nil when the stream has finished.
        ///
        /// - Throws: The first failure or the cancellation, which end the iteration.
        @inlinable
        nonisolated(nonsending) public mutating func next() async throws(Failure) -> T? {
            do { return try await values.next() } catch { throw .converted(error) }
        }

        /// Returns the next value, like ``next()``, on the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        @inlinable
        nonisolated(nonsending) public mutating func next(
            isolation actor: (any Actor)?
        ) async throws(Failure) -> T? {
            do { return try await values.next(isolation: actor) } catch { throw .converted(error) }
        }
    }
}

/// One task uses an iterator.
@available(*, unavailable)
extension TypedStreamValues.Iterator: Sendable {}

/// The values and failures of a stream, with errors of one type, for a loop.
///
/// See `FutureStream.results(throwing:buffering:)`.
public struct TypedStreamResults<T: Sendable, ElementFailure: FailureConvertible>: AsyncSequence, Sendable {
    /// A value or an error.
    public typealias Element = Result<T, ElementFailure>
    /// Errors are never thrown.
    public typealias Failure = Never

    @usableFromInline let results: FutureStreamResults<T>

    @usableFromInline
    init(_ results: FutureStreamResults<T>) { self.results = results }

    /// Subscribes to the stream, and receives the elements that it replays.
    @inlinable
    public func makeAsyncIterator() -> Iterator { Iterator(results.makeAsyncIterator()) }

    /// Iterates over the elements; it unsubscribes when it is released.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline var results: FutureStreamResults<T>.Iterator

        @usableFromInline
        init(_ results: FutureStreamResults<T>.Iterator) { self.results = results }

        /// The number of elements that were lost because the buffer was full or the iteration had ended.
        public var droppedCount: Int { results.droppedCount }

        /// Returns the next element when it is there, or nil when the stream has finished.
        @inlinable
        nonisolated(nonsending) public mutating func next() async -> Result<T, ElementFailure>? {
            await results.next()?.result.mapError { .converted($0) }
        }

        /// Returns the next element, like ``next()``, on the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        @inlinable
        nonisolated(nonsending) public mutating func next(
            isolation actor: (any Actor)?
        ) async throws(Never) -> Result<T, ElementFailure>? {
            await results.next(isolation: actor)?.result.mapError { .converted($0) }
        }
    }
}

/// One task uses an iterator.
@available(*, unavailable)
extension TypedStreamResults.Iterator: Sendable {}
