// What users' own types get. `Future` has members of the same names, which need no detour. So that these are never
// candidates there, and do not keep the compiler from mending a wrong label, they are disfavoured.

extension Futurable {
    /// Runs a closure with the value in case of success: see ``Future/onSuccess(context:cancelToken:completion:)``.
    @preconcurrency @_disfavoredOverload
    public func onSuccess(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (T) -> Void
    ) {
        asFuture(cancelToken: cancelToken).onSuccess(context: context, cancelToken: cancelToken, completion: completion)
    }

    /// Runs a closure with the error in case of failure: see ``Future/onFailure(context:cancelToken:completion:)``.
    @preconcurrency @_disfavoredOverload
    public func onFailure(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (any Error) -> Void
    ) {
        asFuture(cancelToken: cancelToken).onFailure(context: context, cancelToken: cancelToken, completion: completion)
    }

    /// A future of what a closure makes of the value: see ``Future/map(context:cancelToken:mapping:)``.
    @preconcurrency @_disfavoredOverload
    public func map<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> M
    ) -> Future<M> {
        asFuture(cancelToken: cancelToken).map(context: context, cancelToken: cancelToken, mapping: mapping)
    }

    /// A future of the result of the future that a closure makes of the value: see
    /// ``Future/flatMap(context:cancelToken:mapping:)``.
    @preconcurrency @_disfavoredOverload
    public func flatMap<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> Future<M>
    ) -> Future<M> {
        asFuture(cancelToken: cancelToken).flatMap(context: context, cancelToken: cancelToken, mapping: mapping)
    }

    /// A future of the same value, if a closure approves of it: see
    /// ``Future/withFilter(context:cancelToken:filter:)``.
    @preconcurrency @_disfavoredOverload
    public func withFilter(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        filter: @escaping @Sendable (T) throws -> Bool
    ) -> Future<T> {
        asFuture(cancelToken: cancelToken).withFilter(context: context, cancelToken: cancelToken, filter: filter)
    }

    /// Runs a closure with the value in case of success: see ``Future/forEach(context:cancelToken:apply:)``.
    @preconcurrency @_disfavoredOverload
    public func forEach(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        apply: @escaping @Sendable (T) -> Void
    ) {
        onSuccess(context: context, cancelToken: cancelToken, completion: apply)
    }

    /// A future of the same result, completed after a closure has run with the value: see
    /// ``Future/andThen(context:cancelToken:completion:)``.
    @preconcurrency @_disfavoredOverload
    public func andThen(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (T) -> Void
    ) -> Future<T> {
        asFuture(cancelToken: cancelToken).andThen(context: context, cancelToken: cancelToken, completion: completion)
    }

    /// A future of the same value, or of the value that a closure supplies for the error: see
    /// ``Future/recover(context:cancelToken:recovery:)``.
    @preconcurrency @_disfavoredOverload
    public func recover(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> T
    ) -> Future<T> {
        asFuture(cancelToken: cancelToken).recover(context: context, cancelToken: cancelToken, recovery: recovery)
    }

    /// A future of the same value, or of the result of the future that a closure supplies for the error: see
    /// ``Future/recoverWith(context:cancelToken:recovery:)``.
    @preconcurrency @_disfavoredOverload
    public func recoverWith(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> Future<T>
    ) -> Future<T> {
        asFuture(cancelToken: cancelToken).recoverWith(context: context, cancelToken: cancelToken, recovery: recovery)
    }

    /// A future of the same value, or of another error: see ``Future/mapError(context:cancelToken:mapping:)``.
    @preconcurrency @_disfavoredOverload
    public func mapError(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (any Error) -> any Error
    ) -> Future<T> {
        asFuture(cancelToken: cancelToken).mapError(context: context, cancelToken: cancelToken, mapping: mapping)
    }
}
