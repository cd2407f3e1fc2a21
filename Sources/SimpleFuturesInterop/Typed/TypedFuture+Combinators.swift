public import SimpleFutures

// The closures can throw any error, and there is one overload of each method: Swift 6.3 does not infer `throws(Failure)` for
// closures, and two overloads take long to type-check. Errors are converted when the future is awaited.

extension TypedFuture {
    /// Returns a future of the closure's result for the value.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - mapping: Runs at most once. If it throws, the new future fails.
    @inlinable
    public func map<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> M
    ) -> TypedFuture<M, Failure> {
        TypedFuture<M, Failure>(future.map(context: context, cancelToken: cancelToken, mapping: mapping))
    }

    /// Returns a future of a property of the value.
    ///
    ///     let name = login("ada").map(\.name)
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - context: The context that reads the property.
    ///   - cancelToken: When canceled, cancels the new future.
    @_disfavoredOverload
    public func map<M: Sendable>(
        _ keyPath: any KeyPath<T, M> & Sendable, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> TypedFuture<M, Failure> {
        map(context: context, cancelToken: cancelToken) { $0[keyPath: keyPath] }
    }

    /// Returns a future of an asynchronous closure's result for the value.
    ///
    ///     let page = login("ada").asyncMap { _ in try await network.load(url) }
    ///
    /// A failure skips the closure. Canceling this future cancels the new one. The closure runs even if the new future is
    /// released or an await of it is canceled; to stop it use the token. It can throw any error. Errors that are not a
    /// `Failure` are converted when you await the future.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new future. If the closure is running, its task is canceled and its
    ///     result is dropped.
    ///   - transform: Runs at most once, on the caller's actor if it uses that. If it throws, the new future fails.
    @inlinable
    public func asyncMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (T) async throws -> M
    ) -> TypedFuture<M, Failure> {
        TypedFuture<M, Failure>(
            future.asyncMap(name: name, priority: priority, cancelToken: cancelToken, transform))
    }

    /// Returns a future that completes with the future that a closure returns for the value.
    ///
    /// Both have the same error type. If they differ, use ``mapError(context:cancelToken:mapping:)`` first.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - mapping: Runs at most once. If it throws, the new future fails.
    @inlinable
    public func flatMap<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> TypedFuture<M, Failure>
    ) -> TypedFuture<M, Failure> {
        TypedFuture<M, Failure>(
            future.flatMap(context: context, cancelToken: cancelToken) { try mapping($0).future })
    }

    /// Returns a future with errors of another type.
    ///
    /// Timeouts and other errors, `CancellationError` among them, skip the closure, unless `Failure` is
    /// ``FailureConvertible``: then the closure receives them, converted. If a token cancels this future, the closure
    /// does not run in any case, and the new future is canceled.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - mapping: Runs at most once.
    public func mapError<NewFailure: Error>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (Failure) -> NewFailure
    ) -> TypedFuture<T, NewFailure> {
        TypedFuture<T, NewFailure>(
            future.mapError(context: context, cancelToken: cancelToken) { error in
                failure(error, as: Failure.self).map { mapping($0) } ?? error
            })
    }

    /// Returns a future that has a value in place of an error.
    ///
    /// It has no errors of its own left. Awaiting it can still be canceled: see ``value(or:)``.
    ///
    /// Timeouts and other errors, `CancellationError` among them, skip the closure, unless `Failure` is
    /// ``FailureConvertible``: then the closure receives them, converted. If a token cancels this future, the closure
    /// does not run in any case, and the new future is canceled.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - recovery: Runs at most once. For a closure that throws use
    ///     ``recover(throwing:context:cancelToken:recovery:)``.
    public func recover(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (Failure) -> T
    ) -> TypedFuture<T, Never> {
        TypedFuture<T, Never>(
            future.recover(context: context, cancelToken: cancelToken) { error in
                guard let failure = failure(error, as: Failure.self) else { throw error }
                return recovery(failure)
            })
    }

    /// Returns a future that has a value in place of an error, or fails with an error of another type.
    ///
    /// - Parameters:
    ///   - newFailure: The type of the errors that the closure throws.
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - recovery: Runs at most once, for errors of this future's type: see
    ///     ``recover(context:cancelToken:recovery:)``.
    public func recover<NewFailure: Error>(
        throwing newFailure: NewFailure.Type, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, recovery: @escaping @Sendable (Failure) throws -> T
    ) -> TypedFuture<T, NewFailure> {
        TypedFuture<T, NewFailure>(
            future.recover(context: context, cancelToken: cancelToken) { error in
                guard let failure = failure(error, as: Failure.self) else { throw error }
                return try recovery(failure)
            })
    }

    /// Returns a future that completes with the future that a closure returns for the error.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - recovery: Runs at most once, for errors of this future's type: see
    ///     ``recover(context:cancelToken:recovery:)``. If it throws, the new future fails.
    public func recoverWith<NewFailure: Error>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (Failure) throws -> TypedFuture<T, NewFailure>
    ) -> TypedFuture<T, NewFailure> {
        TypedFuture<T, NewFailure>(
            future.recoverWith(context: context, cancelToken: cancelToken) { error in
                guard let failure = failure(error, as: Failure.self) else { throw error }
                return try recovery(failure).future
            })
    }

    /// Returns a future with the same result, after running a closure in any case: success, failure or cancellation.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cleanUp: Runs once.
    @discardableResult
    public func ensure(
        context: any ExecutionContext = QueueContext.futuresDefault, _ cleanUp: @escaping @Sendable () -> Void
    ) -> Self {
        Self(future.ensure(context: context, cleanUp))
    }

    /// Returns a future with the same result, completed later.
    ///
    /// - Parameters:
    ///   - duration: The delay.
    ///   - context: The context whose clock is used.
    ///   - cancelToken: When canceled, cancels the new future.
    public func delay(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> Self {
        Self(future.delay(duration, context: context, cancelToken: cancelToken))
    }

    /// Returns a future with the same result, or a timeout.
    ///
    /// After a timeout, awaits throw ``Stopped/timedOut(_:)``, or `Failure(other:)` of `FuturesError.timedOut`. The
    /// work continues.
    ///
    /// - Parameters:
    ///   - duration: How long to wait.
    ///   - context: The context whose clock is used.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - fileID: The place of the call, for the error.
    ///   - line: The place of the call, for the error.
    public func timeout(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Self {
        Self(future.timeout(duration, context: context, cancelToken: cancelToken, fileID: fileID, line: line))
    }

    /// Returns a future with the same result, or a timeout that cancels a token to stop the work.
    ///
    /// - Parameters:
    ///   - duration: How long to wait.
    ///   - token: The token to cancel after a timeout.
    ///   - context: The context whose clock is used.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - fileID: The place of the call, for the error.
    ///   - line: The place of the call, for the error.
    public func timeout(
        _ duration: Duration, cancelling token: CancelToken,
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Self {
        Self(
            future.timeout(
                duration, cancelling: token, context: context, cancelToken: cancelToken, fileID: fileID, line: line))
    }

    /// Tries an operation again until it succeeds or the attempts are used up; then it fails with the last error.
    ///
    /// It works like `Future.retry`.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts, at least 1.
    ///   - backoff: The delay before the next attempt.
    ///   - context: Runs the closures and the timers. With a `ManualContext`, waiting takes no real time.
    ///   - cancelToken: When canceled, stops the attempts and cancels the future.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - shouldRetry: Whether to try again after an error of this type. An error of another type, such as a timeout, is
    ///     converted first if `Failure` is ``FailureConvertible``; otherwise it ends the attempts. By default every error
    ///     leads to another attempt.
    ///   - make: Starts an attempt.
    public static func retry(
        _ attempts: Int, backoff: Backoff,
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: (@Sendable (Failure) -> Bool)? = nil,
        _ make: @escaping @Sendable () throws -> Self
    ) -> Self {
        Self(
            Future.retry(
                attempts, backoff: backoff, context: context, cancelToken: cancelToken, fileID: fileID, line: line,
                while: { error in
                    guard let shouldRetry else { return true }
                    return failure(error, as: Failure.self).map(shouldRetry) ?? false
                },
                { try make().future }))
    }
}

extension TypedFuture {
    /// Returns a future whose value is the result.
    ///
    /// It is canceled if this one is.
    @_disfavoredOverload
    public func materialize() -> TypedFuture<Result<T, Stopped<Failure>>, Never> {
        TypedFuture<Result<T, Stopped<Failure>>, Never>(materialized())
    }

    // Without a closure of the user's, so it leaves its source when nothing waits for it (promise 8).
    fileprivate func materialized<E: FailureConvertible>() -> Future<Result<T, E>> {
        let derived = Future<Result<T, E>>()
        future.observe(.completion, leavingWith: derived) { source, target in
            guard let target, let result = source.settledResult(as: T.self) else { return }
            target.future(of: Result<T, E>.self).settle(.success(result.result.mapError { .converted($0) }))
        }
        return derived
    }
}

extension TypedFuture where Failure: FailureConvertible {
    /// Returns a future whose value is the result.
    ///
    /// It is canceled if this one is.
    public func materialize() -> TypedFuture<Result<T, Failure>, Never> {
        TypedFuture<Result<T, Failure>, Never>(materialized())
    }
}
