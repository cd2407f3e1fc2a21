public import SimpleFutures

extension Future {
    /// Returns the value when it is there; throws errors of one type.
    ///
    ///     func profile() async throws(APIError) -> Profile {
    ///         try await client.profile().value(throwing: APIError.self)
    ///     }
    ///
    /// It waits like ``value``. The type's `init(other:)` converts errors of other types: `CancellationError` if the task or
    /// the future was canceled, `FuturesError` for a broken promise and a timeout.
    ///
    /// - Parameter failure: The type to throw. If it cannot hold other errors, pass ``Stopped`` of it.
    /// - Throws: An error of that type.
    @inlinable
    nonisolated(nonsending) public func value<Failure: FailureConvertible>(
        throwing failure: Failure.Type
    ) async throws(Failure) -> T {
        if phase == .pending { await settled() }
        return try resultAfterWaiting(throwing: failure)
    }

    @inlinable
    func resultAfterWaiting<Failure: FailureConvertible>(throwing failure: Failure.Type) throws(Failure) -> T {
        switch settledResult(as: T.self) {
        case .success(let value)?: return value
        case .failure(let error)?: throw .converted(error)
        case nil: throw .converted(taskCancellation())
        }
    }

    /// For `value(cancelling:onCancel:)` of a typed future.
    nonisolated(nonsending) func value<Failure: FailureConvertible>(
        throwing failure: Failure.Type, cancelling token: CancelToken,
        onCancel response: TaskCancellationResponse = .wait
    ) async throws(Failure) -> T {
        do { return try await value(cancelling: token, onCancel: response) } catch { throw .converted(error) }
    }

    /// Returns the result when it is there, with an error of one type.
    ///
    /// It waits and converts errors like ``value(throwing:)``.
    ///
    /// - Parameter failure: The type of the error. If it cannot hold other errors, pass ``Stopped`` of it.
    @inlinable
    nonisolated(nonsending) public func result<Failure: FailureConvertible>(
        throwing failure: Failure.Type
    ) async -> Result<T, Failure> {
        do { return .success(try await value(throwing: failure)) } catch { return .failure(error) }
    }

    /// Runs a closure with the result, with an error of one type.
    ///
    /// It does not run if the future is canceled; use `onCancel` for that. Returns the future, so that callbacks chain.
    ///
    /// - Parameters:
    ///   - failure: The type of the error. If it cannot hold other errors, pass ``Stopped`` of it.
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once.
    @inlinable @discardableResult
    public func onResult<Failure: FailureConvertible>(
        throwing failure: Failure.Type, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, completion: @escaping @Sendable (Result<T, Failure>) -> Void
    ) -> Self {
        onComplete(context: context, cancelToken: cancelToken) { result in
            completion(result.result.mapError { .converted($0) })
        }
        return self
    }

    /// Runs a closure on the caller's actor with the result, with an error of one type.
    ///
    ///     client.profile().onResult(throwing: APIError.self, isolated: { self.show($0) })
    ///
    /// It does not run if the future is canceled; use `onCancel` for that. Returns the future, so that callbacks chain.
    ///
    /// - Parameters:
    ///   - failure: The type of the error. If it cannot hold other errors, pass ``Stopped`` of it.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - completion: Runs at most once.
    @discardableResult
    public func onResult<Failure: FailureConvertible>(
        throwing failure: Failure.Type, cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated completion:
            @escaping @isolated(any) @Sendable (Result<T, Failure>) -> Void
    ) -> Self {
        onResult(
            throwing: failure, context: IsolatedCallback.context(of: completion.isolation), cancelToken: cancelToken,
            completion: IsolatedCallback.bare(completion, runs: .once))
        return self
    }

    /// Returns the same future with a type for its errors.
    ///
    /// This converts nothing. Errors of other types are converted when you await them or when a callback receives them: to
    /// `Failure(other:)` if the type is ``FailureConvertible``, otherwise to a case of ``Stopped``.
    ///
    /// - Parameter failure: The type of its errors.
    @inlinable
    public func typed<Failure: Error>(as failure: Failure.Type) -> TypedFuture<T, Failure> { TypedFuture(self) }
}
