public import SimpleFutures

// As for Future: closures labeled `isolated:` run on the caller's actor.

extension TypedFuture {
    /// Returns a future of the closure's result for the value, run on the caller's actor.
    ///
    /// Failures and cancellations skip the closure.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - mapping: Runs at most once. If it throws, the new future fails.
    @_disfavoredOverload
    public func map<M: Sendable>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated mapping: @escaping @isolated(any) @Sendable (T) throws -> M
    ) -> TypedFuture<M, Failure> {
        TypedFuture<M, Failure>(future.map(cancelToken: cancelToken, isolated: mapping))
    }

    /// Returns a future that completes with the future that a closure, run on the caller's actor, returns for the value.
    ///
    ///     let other = login("ada").flatMap(isolated: { _ in self.login(self.name) })    // on the main actor
    ///
    /// Both have the same error type. Failures and cancellations skip the closure.
    ///
    /// - Parameters:
    ///   - cancelToken: Cancels the closure, or, after it has run, the link to the inner future, and the new future.
    ///   - mapping: Runs at most once. If it throws, the new future fails.
    @_disfavoredOverload
    public func flatMap<M: Sendable>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated mapping:
            @escaping @isolated(any) @Sendable (T) throws -> TypedFuture<M, Failure>
    ) -> TypedFuture<M, Failure> {
        flatMap(
            context: IsolatedCallback.context(of: mapping.isolation), cancelToken: cancelToken,
            mapping: IsolatedCallback.bare(mapping, runs: .once))
    }

    /// Returns a future with errors of another type: the result of a closure, run on the caller's actor.
    ///
    /// Other errors skip the closure: see ``mapError(context:cancelToken:mapping:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - mapping: Runs at most once.
    @_disfavoredOverload
    public func mapError<NewFailure: Error>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated mapping: @escaping @isolated(any) @Sendable (Failure) -> NewFailure
    ) -> TypedFuture<T, NewFailure> {
        let (context, mapping) = (
            IsolatedCallback.context(of: mapping.isolation), IsolatedCallback.bare(mapping, runs: .once)
        )
        return recover(throwing: NewFailure.self, context: context, cancelToken: cancelToken) { throw try mapping($0) }
    }

    /// Returns a future that has a value in place of an error: the result of a closure, run on the caller's actor.
    ///
    /// It has no errors of its own left. Other errors skip the closure: see
    /// ``recover(context:cancelToken:recovery:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - recovery: Runs at most once. For a closure that throws use ``recover(throwing:cancelToken:isolated:)``.
    @_disfavoredOverload
    public func recover(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated recovery: @escaping @isolated(any) @Sendable (Failure) -> T
    ) -> TypedFuture<T, Never> {
        recover(throwing: Never.self, cancelToken: cancelToken, isolated: recovery)
    }

    /// Returns a future that has a value in place of an error, or fails with an error of another type: the result of a
    /// closure, run on the caller's actor.
    ///
    /// - Parameters:
    ///   - newFailure: The type of the errors that the closure throws.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - recovery: Runs at most once, for errors of this future's type: see
    ///     ``recover(context:cancelToken:recovery:)``.
    @_disfavoredOverload
    public func recover<NewFailure: Error>(
        throwing newFailure: NewFailure.Type, cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated recovery: @escaping @isolated(any) @Sendable (Failure) throws -> T
    ) -> TypedFuture<T, NewFailure> {
        recover(
            throwing: newFailure, context: IsolatedCallback.context(of: recovery.isolation), cancelToken: cancelToken,
            recovery: IsolatedCallback.bare(recovery, runs: .once))
    }

    /// Returns a future that completes with the future that a closure, run on the caller's actor, returns for the error.
    ///
    /// - Parameters:
    ///   - cancelToken: Cancels the closure, or, after it has run, the link to the inner future, and the new future.
    ///   - recovery: Runs at most once, for errors of this future's type: see
    ///     ``recover(context:cancelToken:recovery:)``. If it throws, the new future fails.
    @_disfavoredOverload
    public func recoverWith<NewFailure: Error>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated recovery:
            @escaping @isolated(any) @Sendable (Failure) throws -> TypedFuture<T, NewFailure>
    ) -> TypedFuture<T, NewFailure> {
        recoverWith(
            context: IsolatedCallback.context(of: recovery.isolation), cancelToken: cancelToken,
            recovery: IsolatedCallback.bare(recovery, runs: .once))
    }

    /// Returns a future with the same result, after running a closure on the caller's actor in any case: success,
    /// failure or cancellation.
    ///
    ///     isBusy = true
    ///     login("ada").ensure(isolated: { self.isBusy = false })    // on the main actor
    ///
    /// - Parameter cleanUp: Runs once.
    @_disfavoredOverload
    @discardableResult
    public func ensure(
        @_inheritActorContext(always) isolated cleanUp: @escaping @isolated(any) @Sendable () -> Void
    ) -> Self {
        Self(future.ensure(isolated: cleanUp))
    }
}

extension TypedStream {
    /// Returns a stream of the closure's results for the values, run on the caller's actor.
    ///
    ///     let rows = messages.map(isolated: { self.row(for: $0) })    // on the main actor
    ///
    /// Failures skip the closure and keep their position.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - mapping: Runs once for each value. If it throws, the error is an element.
    @_disfavoredOverload
    public func map<M: Sendable>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated mapping: @escaping @isolated(any) @Sendable (T) throws -> M
    ) -> TypedStream<M, Failure> {
        TypedStream<M, Failure>(stream.map(cancelToken: cancelToken, isolated: mapping))
    }

    /// Returns a stream of the elements of all streams that a closure, run on the caller's actor, returns for the
    /// values.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - mapping: Runs once for each value. If it throws, the error is an element.
    @_disfavoredOverload
    public func flatMap<M: Sendable>(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated mapping:
            @escaping @isolated(any) @Sendable (T) throws -> TypedStream<M, Failure>
    ) -> TypedStream<M, Failure> {
        flatMap(
            context: IsolatedCallback.context(of: mapping.isolation), cancelToken: cancelToken,
            mapping: IsolatedCallback.bare(mapping))
    }

    /// Returns a stream of the values for which a closure, run on the caller's actor, returns true, and of all failures.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - isIncluded: Runs once for each value. If it throws, the error is an element.
    @_disfavoredOverload
    public func filter(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated isIncluded: @escaping @isolated(any) @Sendable (T) throws -> Bool
    ) -> Self {
        Self(stream.filter(cancelToken: cancelToken, isolated: isIncluded))
    }

    /// Returns a stream that has a value in place of each failure: the result of a closure, run on the caller's actor.
    ///
    /// Other errors skip the closure: see ``recover(context:cancelToken:recovery:)``.
    ///
    /// - Parameters:
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - recovery: Runs once for each failure.
    @_disfavoredOverload
    public func recover(
        cancelToken: CancelToken = .none,
        @_inheritActorContext(always) isolated recovery: @escaping @isolated(any) @Sendable (Failure) -> T
    ) -> TypedStream<T, Never> {
        recover(
            on: IsolatedCallback.context(of: recovery.isolation), under: cancelToken, IsolatedCallback.bare(recovery))
    }
}
