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
