public import SimpleFutures

extension Futurable {
    /// Returns a future of an asynchronous closure's result for the value.
    ///
    ///     let avatar = profile.asyncMap { try await network.image(at: $0.avatarURL) }
    ///
    /// A failure skips the closure. Canceling this future cancels the new one. The closure runs even if the new future is
    /// released or an await of it is canceled; to stop it use the token.
    ///
    /// A task runs the closure. As with `Task.init`, the closure is isolated to the caller's actor if it uses that; the
    /// task inherits the caller's priority and task-local values at this call.
    ///
    /// Closures of several calls that wait for one future run in any order, even on one actor, because Swift does not
    /// order waiting tasks. Use `onSuccess(isolated:)` for callbacks that keep their order.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new future. If the closure is running, its task is canceled and its
    ///     result is dropped.
    ///   - transform: Runs once if this one succeeds. If it throws, the new future fails.
    @inlinable
    public func asyncMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (T) async throws -> M
    ) -> Future<M> {
        asyncDerive(
            .transform, name: name, priority: priority, under: cancelToken, Transformation(run: transform)
        ) { $0.value }
    }

    /// Returns a future of the result of the future that an asynchronous closure returns for the value.
    ///
    /// Like ``asyncMap(name:priority:cancelToken:_:)-(_,_,_,(T)->M)``, for functions that still return futures.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Cancels the closure, or, after it has run, the link to the inner future, and the new future. If
    ///     the closure is running, its task is canceled.
    ///   - transform: Runs once if this one succeeds. If it throws, the new future fails.
    @inlinable
    public func asyncFlatMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (T) async throws -> Future<M>
    ) -> Future<M> {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Returns a future of the same value, or of the value that an asynchronous closure returns for the error.
    ///
    ///     let page = client.load(url).asyncRecover { _ in try await network.load(mirrors[0]) }
    ///
    /// A success skips the closure. A cancellation is not a failure: the closure does not run, and the new future is
    /// canceled. For the task see ``asyncMap(name:priority:cancelToken:_:)-(_,_,_,(T)->M)``.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new future. If the closure is running, its task is canceled and its
    ///     result is dropped.
    ///   - recovery: Runs once if this one fails. If it throws, the new future fails.
    @inlinable
    public func asyncRecover(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ recovery: sending @escaping @isolated(any) (any Error) async throws -> T
    ) -> Future<T> {
        asyncDerive(
            .recovery, name: name, priority: priority, under: cancelToken, Transformation(run: recovery)
        ) { $0.error }
    }

    /// Runs an asynchronous closure with the value.
    ///
    ///     profile.asyncForEach { await store.save($0) }
    ///
    /// For the task see ``asyncMap(name:priority:cancelToken:_:)-(_,_,_,(T)->M)``.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, the closure does not run; if it is running, its task is canceled.
    ///   - apply: Runs once if this one succeeds.
    /// - Returns: A future that succeeds when the closure has returned. It fails if this one fails or the closure
    ///   throws. You can ignore it.
    @inlinable @discardableResult
    public func asyncForEach(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ apply: sending @escaping @isolated(any) (T) async throws -> Void
    ) -> Future<Void> {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, apply)
    }
}

// For futures without a value, closures without a parameter: a closure that the compiler converts to one with a
// parameter of type `Void` would lose its actor.

extension Futurable where T == Void {
    /// Returns a future of an asynchronous closure's result, run after this future has succeeded.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - transform: Runs once if this one succeeds. If it throws, the new future fails.
    @inlinable
    public func asyncMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture _ transform: sending @escaping @isolated(any) () async throws -> M
    ) -> Future<M> {
        asyncDerive(
            .transform, name: name, priority: priority, under: cancelToken,
            Transformation(Operation(run: transform))
        ) { $0.value }
    }

    /// Returns a future of the result of the future that an asynchronous closure returns after this future has
    /// succeeded.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Cancels the closure, or the link to the inner future, and the new future.
    ///   - transform: Runs once if this one succeeds. If it throws, the new future fails.
    @inlinable
    public func asyncFlatMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) () async throws -> Future<M>
    ) -> Future<M> {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Runs an asynchronous closure after this future has succeeded.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, the closure does not run; if it is running, its task is canceled.
    ///   - apply: Runs once if this one succeeds.
    /// - Returns: A future that succeeds when the closure has returned. You can ignore it.
    @inlinable @discardableResult
    public func asyncForEach(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture _ apply: sending @escaping @isolated(any) () async throws -> Void
    ) -> Future<Void> {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, apply)
    }
}
