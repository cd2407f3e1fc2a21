public import SimpleFutures

/// A stream with a type for its errors.
///
///     func draw(_ positions: TypedStream<Position, LoginError>) async throws(Stopped<LoginError>) {
///         for try await position in positions.values { show(position) }
///     }
///
/// It is a view of an untyped ``stream``, like ``TypedFuture`` of a future. Loops and callbacks have errors of type `Failure` if
/// that is ``FailureConvertible``, otherwise of ``Stopped`` of it, and convert errors of other types.
@frozen public struct TypedStream<T: Sendable, Failure: Error>: Sendable {
    /// The same stream without a type for its errors.
    public let stream: FutureStream<T>

    @inlinable
    init(_ stream: FutureStream<T>) { self.stream = stream }

    /// Returns a stream of the closure's results for the values.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - mapping: Runs once for each value. If it throws, the error is an element.
    @inlinable
    public func map<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> M
    ) -> TypedStream<M, Failure> {
        TypedStream<M, Failure>(stream.map(context: context, cancelToken: cancelToken, mapping: mapping))
    }

    /// Returns a stream of a property of the values.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - context: The context that reads the property.
    ///   - cancelToken: When canceled, cancels the new stream.
    @_disfavoredOverload
    public func map<M: Sendable>(
        _ keyPath: any KeyPath<T, M> & Sendable, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> TypedStream<M, Failure> {
        map(context: context, cancelToken: cancelToken) { $0[keyPath: keyPath] }
    }

    /// Returns a stream of the elements of all streams that a closure returns for the values.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - mapping: Runs once for each value. If it throws, the error is an element.
    @inlinable
    public func flatMap<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> TypedStream<M, Failure>
    ) -> TypedStream<M, Failure> {
        TypedStream<M, Failure>(
            stream.flatMap(context: context, cancelToken: cancelToken) { try mapping($0).stream })
    }

    /// Returns a stream of the values for which a closure returns true, and of all failures.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - isIncluded: Runs once for each value. If it throws, the error is an element.
    @inlinable
    public func filter(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ isIncluded: @escaping @Sendable (T) throws -> Bool
    ) -> Self {
        Self(stream.filter(context: context, cancelToken: cancelToken, isIncluded))
    }

    /// Returns a stream with errors of another type.
    ///
    /// Cancellations, timeouts and other errors skip the closure, unless `Failure` is ``FailureConvertible``: then the
    /// closure receives them, converted.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - mapping: Runs once for each failure.
    public func mapError<NewFailure: Error>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (Failure) -> NewFailure
    ) -> TypedStream<T, NewFailure> {
        TypedStream<T, NewFailure>(
            stream.mapError(context: context, cancelToken: cancelToken) { error in
                failure(error, as: Failure.self).map { mapping($0) } ?? error
            })
    }

    /// Returns a stream that has a value in place of each failure.
    ///
    /// Cancellations, timeouts and other errors skip the closure, unless `Failure` is ``FailureConvertible``: then the
    /// closure receives them, converted.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - recovery: Runs once for each failure.
    public func recover(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (Failure) -> T
    ) -> TypedStream<T, Never> {
        recover(on: context, under: cancelToken, recovery)
    }

    func recover(
        on context: any ExecutionContext, under token: CancelToken,
        _ recovery: @escaping @Sendable (Failure) throws -> T
    ) -> TypedStream<T, Never> {
        TypedStream<T, Never>(
            stream.recover(context: context, cancelToken: token) { error in
                guard let failure = failure(error, as: Failure.self) else { throw error }
                return try recovery(failure)
            })
    }

    /// Runs a closure with each value.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each value, one after the other.
    @inlinable @discardableResult
    public func onSuccess(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (T) -> Void
    ) -> Self {
        stream.onSuccess(context: context, cancelToken: cancelToken, completion: completion)
        return self
    }

    /// Runs a closure on the caller's actor with each value.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each value, one after the other.
    @discardableResult
    public func onSuccess(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (T) -> Void
    ) -> Self {
        stream.onSuccess(cancelToken: cancelToken, isolated: completion)
        return self
    }
}

extension TypedStream {
    /// The values, for a `for try await` loop: see `FutureStream.values(throwing:buffering:)`.
    @_disfavoredOverload @inlinable
    public var values: TypedStreamValues<T, Stopped<Failure>> { stream.values(throwing: Stopped<Failure>.self) }

    /// The elements, for a `for await` loop: see `FutureStream.results(throwing:buffering:)`.
    @_disfavoredOverload @inlinable
    public var results: TypedStreamResults<T, Stopped<Failure>> { stream.results(throwing: Stopped<Failure>.self) }

    /// The values, for a loop with a bounded buffer.
    ///
    /// - Parameter policy: Decides what to do with values that arrive faster than the loop takes them.
    @_disfavoredOverload @inlinable
    public func values(buffering policy: StreamBufferingPolicy) -> TypedStreamValues<T, Stopped<Failure>> {
        stream.values(throwing: Stopped<Failure>.self, buffering: policy)
    }

    /// The elements, for a loop with a bounded buffer.
    ///
    /// - Parameter policy: Decides what to do with elements that arrive faster than the loop takes them.
    @_disfavoredOverload @inlinable
    public func results(buffering policy: StreamBufferingPolicy) -> TypedStreamResults<T, Stopped<Failure>> {
        stream.results(throwing: Stopped<Failure>.self, buffering: policy)
    }

    /// Runs a closure with each element.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each element, one after the other.
    @_disfavoredOverload @inlinable @discardableResult
    public func onResult(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Result<T, Stopped<Failure>>) -> Void
    ) -> Self {
        stream.onResult(
            throwing: Stopped<Failure>.self, context: context, cancelToken: cancelToken, completion: completion)
        return self
    }

    /// Runs a closure on the caller's actor with each element.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each element, one after the other.
    @_disfavoredOverload @discardableResult
    public func onResult(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion:
            @escaping @isolated(any) @Sendable (Result<T, Stopped<Failure>>) -> Void
    ) -> Self {
        stream.onResult(throwing: Stopped<Failure>.self, cancelToken: cancelToken, isolated: completion)
        return self
    }

    /// Runs a closure with each failure.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each failure, one after the other.
    @_disfavoredOverload @discardableResult
    public func onFailure(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Stopped<Failure>) -> Void
    ) -> Self {
        stream.onFailure(context: context, cancelToken: cancelToken) { completion(.converted($0)) }
        return self
    }

    /// Runs a closure on the caller's actor with each failure.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each failure, one after the other.
    @_disfavoredOverload @discardableResult
    public func onFailure(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (Stopped<Failure>) -> Void
    ) -> Self {
        onFailure(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
        return self
    }
}

extension TypedStream where Failure: FailureConvertible {
    /// The values, for a `for try await` loop: see `FutureStream.values(throwing:buffering:)`.
    @inlinable
    public var values: TypedStreamValues<T, Failure> { stream.values(throwing: Failure.self) }

    /// The elements, for a `for await` loop: see `FutureStream.results(throwing:buffering:)`.
    @inlinable
    public var results: TypedStreamResults<T, Failure> { stream.results(throwing: Failure.self) }

    /// The values, for a loop with a bounded buffer.
    ///
    /// - Parameter policy: Decides what to do with values that arrive faster than the loop takes them.
    @inlinable
    public func values(buffering policy: StreamBufferingPolicy) -> TypedStreamValues<T, Failure> {
        stream.values(throwing: Failure.self, buffering: policy)
    }

    /// The elements, for a loop with a bounded buffer.
    ///
    /// - Parameter policy: Decides what to do with elements that arrive faster than the loop takes them.
    @inlinable
    public func results(buffering policy: StreamBufferingPolicy) -> TypedStreamResults<T, Failure> {
        stream.results(throwing: Failure.self, buffering: policy)
    }

    /// Runs a closure with each element.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each element, one after the other.
    @inlinable @discardableResult
    public func onResult(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Result<T, Failure>) -> Void
    ) -> Self {
        stream.onResult(throwing: Failure.self, context: context, cancelToken: cancelToken, completion: completion)
        return self
    }

    /// Runs a closure on the caller's actor with each element.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each element, one after the other.
    @discardableResult
    public func onResult(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion:
            @escaping @isolated(any) @Sendable (Result<T, Failure>) -> Void
    ) -> Self {
        stream.onResult(throwing: Failure.self, cancelToken: cancelToken, isolated: completion)
        return self
    }

    /// Runs a closure with each failure.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each failure, one after the other.
    @discardableResult
    public func onFailure(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (Failure) -> Void
    ) -> Self {
        stream.onFailure(context: context, cancelToken: cancelToken) { completion(.converted($0)) }
        return self
    }

    /// Runs a closure on the caller's actor with each failure.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, the closure stops running.
    ///   - completion: Runs once for each failure, one after the other.
    @discardableResult
    public func onFailure(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion: @escaping @isolated(any) @Sendable (Failure) -> Void
    ) -> Self {
        onFailure(
            context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion))
        return self
    }
}
