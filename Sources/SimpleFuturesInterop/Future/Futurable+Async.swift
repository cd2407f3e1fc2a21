public import SimpleFutures

extension Futurable {
    /// Returns a future of what an asynchronous closure makes of the value.
    ///
    ///     let avatar = profile.asyncMap { try await images.load($0.avatarURL) }
    ///
    /// A failure skips the closure. Canceling this future cancels the new one.
    ///
    /// A task runs the closure. As with `Task.init` the closure belongs to the caller's actor, if it uses that; the
    /// task takes over the caller's priority and task-local values, as they are at this call.
    ///
    /// Closures of several calls that wait for one future run in any order, also on one actor: so does the language with
    /// tasks that wait. Callbacks keep their order: `onSuccess(isolated:)`.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new future. If the closure is running, its task is
    ///     cancelled, and what it still returns or throws is dropped.
    ///   - transform: Runs once if this one succeeds. If it throws, the new future fails.
    public func asyncMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (T) async throws -> M
    ) -> Future<M> {
        asyncDerive(
            .transform, name: name, priority: priority, under: cancelToken, Transformation(run: transform)
        ) { $0.value }
    }

    /// Returns a future of the result of another one, which an asynchronous closure makes of the value.
    ///
    /// It is ``asyncMap(name:priority:cancelToken:_:)-(_,_,_,(T)->M)`` for functions that return a future still.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Detaches the closure, or, after it has run, the new future from the inner one; the new future
    ///     is then canceled. If the closure is running, its task is canceled.
    ///   - transform: Runs once if this one succeeds. If it throws, the new future fails.
    public func asyncFlatMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (T) async throws -> Future<M>
    ) -> Future<M> {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Returns a future of the same value, or of the value that an asynchronous closure supplies for the error.
    ///
    ///     let page = load(url).asyncRecover { _ in try await cache.page(for: url) }
    ///
    /// A success passes the closure by. A cancellation is no failure: the closure does not run, and the new future is
    /// canceled. For the task see ``asyncMap(name:priority:cancelToken:_:)-(_,_,_,(T)->M)``.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new future. If the closure is running, its task is
    ///     cancelled, and what it still returns or throws is dropped.
    ///   - recovery: Runs once if this one fails. If it throws, the new future fails.
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
    ///   - cancelToken: Detaches the closure; if it is running, its task is canceled.
    ///   - apply: Runs once if this one succeeds.
    /// - Returns: A future that succeeds when the closure has returned; it fails as this one does, or with what the
    ///   closure throws. May be ignored.
    @discardableResult
    public func asyncForEach(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ apply: sending @escaping @isolated(any) (T) async throws -> Void
    ) -> Future<Void> {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, apply)
    }
}

// For futures without a value, closures without a parameter: one that the compiler takes for one with a parameter of
// type `Void` would not belong to its actor any more.

extension Futurable where T == Void {
    /// Returns a future of what an asynchronous closure makes when this one has succeeded: `asyncMap` for a future without a
    /// value.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - transform: Runs once if this one succeeds. If it throws, the new future fails.
    public func asyncMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture _ transform: sending @escaping @isolated(any) () async throws -> M
    ) -> Future<M> {
        asyncDerive(
            .transform, name: name, priority: priority, under: cancelToken,
            Transformation(Operation(run: transform))
        ) { $0.value }
    }

    /// Returns a future of the result of another one, which an asynchronous closure makes when this one has succeeded:
    /// `asyncFlatMap` for a future without a value.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Detaches the closure, or the new future from the inner one; the new future is then canceled.
    ///   - transform: Runs once if this one succeeds. If it throws, the new future fails.
    public func asyncFlatMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) () async throws -> Future<M>
    ) -> Future<M> {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Runs an asynchronous closure when this future has succeeded: `asyncForEach` for a future without a value.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Detaches the closure; if it is running, its task is canceled.
    ///   - apply: Runs once if this one succeeds.
    /// - Returns: A future that succeeds when the closure has returned. May be ignored.
    @discardableResult
    public func asyncForEach(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture _ apply: sending @escaping @isolated(any) () async throws -> Void
    ) -> Future<Void> {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, apply)
    }
}
