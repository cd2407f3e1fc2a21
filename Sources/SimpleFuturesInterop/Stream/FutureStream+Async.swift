public import SimpleFutures

extension FutureStream {
    /// Returns a stream of what an asynchronous closure makes of each value.
    ///
    ///     let pages = urls.asyncMap { try await client.load($0) }
    ///
    /// One after the other: the closure is called again when it has returned, and the results come in the order of the
    /// elements. What is emitted meanwhile waits, however much it is, unless a policy is given. Failures skip the closure, in their place in
    /// the order. It ends as this stream does, after the last result.
    ///
    /// One task runs all calls. As with `Task.init` the closure belongs to the caller's actor, if it uses that; the
    /// task takes over the caller's priority and task-local values, as they are at this call.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new stream. If the closure is running, its task is
    ///     cancelled, and what it still returns or throws is dropped.
    ///   - policy: What to do with elements that arrive while the closure runs: see ``StreamBufferingPolicy``.
    ///   - transform: Runs once per value. If it throws, the error is a failure of the new stream, which goes on.
    public func asyncMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (T) async throws -> M
    ) -> FutureStream<M> {
        asyncMap(Transformation(run: transform), name, priority, cancelToken, policy)
    }

    /// Returns a stream of the elements of the futures or streams that an asynchronous closure makes of the values.
    ///
    /// The closure is called as in ``asyncMap(name:priority:cancelToken:buffering:_:)-(_,_,_,_,(T)->M)``, one call after the other;
    /// the futures and streams that it has returned emit as they come, without waiting for each other. The new stream
    /// finishes when this one and all of them have ended.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Detaches the closure and the inner futures and streams; the new stream is then canceled. If
    ///     the closure is running, its task is canceled.
    ///   - policy: What to do with elements that arrive while the closure runs: see ``StreamBufferingPolicy``.
    ///   - transform: Runs once per value. If it throws, the error is a failure of the new stream, which goes on.
    public func asyncFlatMap<Inner: FutureStreamConvertible>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (T) async throws -> Inner
    ) -> FutureStream<Inner.T> {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, buffering: policy, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Returns a stream of the same values, with those that an asynchronous closure supplies in the place of the failures.
    ///
    /// The closure is called as in ``asyncMap(name:priority:cancelToken:buffering:_:)-(_,_,_,_,(T)->M)``, one call after the other;
    /// the elements keep their order.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new stream. If the closure is running, its task is
    ///     cancelled, and what it still returns or throws is dropped.
    ///   - policy: What to do with elements that arrive while the closure runs.
    ///   - recovery: Runs once per failure. If it throws, the error is a failure of the new stream, which goes on.
    public func asyncRecover(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ recovery: sending @escaping @isolated(any) (any Error) async throws -> T
    ) -> FutureStream<T> {
        let recovery = Transformation(run: recovery)
        return asyncDerive(on: recovery.isolation, name, priority, cancelToken, policy) { element in
            guard case .failure(let error) = element else { return element }
            do { return .success(try await recovery.run(error)) } catch { return .failure(error) }
        }
    }

    /// Runs an asynchronous closure with each value, one after the other.
    ///
    ///     measurements.asyncForEach { await database.insert($0) }
    ///
    /// The closure is called as in ``asyncMap(name:priority:cancelToken:buffering:_:)-(_,_,_,_,(T)->M)``. Failures are left out.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Detaches the closure; if it is running, its task is canceled.
    ///   - policy: What to do with elements that arrive while the closure runs.
    ///   - apply: Runs once per value.
    /// - Returns: A future that succeeds when the stream has finished and the last call has returned; it is canceled
    ///   when the closure is detached or the stream is canceled. May be ignored.
    @discardableResult
    public func asyncForEach(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ apply: sending @escaping @isolated(any) (T) async -> Void
    ) -> Future<Void> {
        asyncForEach(Transformation(run: apply), name, priority, cancelToken, policy)
    }

    private func asyncMap<M: Sendable>(
        _ transform: Transformation<T, M>, _ name: String?, _ priority: TaskPriority?, _ token: CancelToken,
        _ policy: StreamBufferingPolicy
    ) -> FutureStream<M> {
        asyncDerive(on: transform.isolation, name, priority, token, policy) { element in
            do { return .success(try await transform.run(element.get())) } catch { return .failure(error) }
        }
    }

    private func asyncForEach(
        _ apply: Transformation<T, Void>, _ name: String?, _ priority: TaskPriority?, _ token: CancelToken,
        _ policy: StreamBufferingPolicy
    ) -> Future<Void> {
        let relay = AsyncRelay(from: self, under: token, policy)
        relay.start(on: apply.isolation, name: name, priority: priority) { element in
            if case .success(let value) = element { try? await apply.run(value) }
        }
        return relay.end
    }

    private func asyncDerive<M: Sendable>(
        on actor: (any Actor)?, _ name: String?, _ priority: TaskPriority?, _ token: CancelToken,
        _ policy: StreamBufferingPolicy, _ body: @escaping @Sendable (Try<T>) async -> Try<M>
    ) -> FutureStream<M> {
        let derived = FutureStream<M>(producedWith: capacity)
        let core = derived.core
        let relay = AsyncRelay(from: self, under: token, policy)
        relay.end.observe(.plumbing) { end, _ in
            if end.isCancelled { core.cancelAsTarget() } else { core.finish() }
        }
        relay.start(on: actor, name: name, priority: priority) { core.pass(await body($0)) }
        return derived
    }
}

// As for futures without a value: closures without a parameter.

extension FutureStream where T == Void {
    /// Returns a stream of what an asynchronous closure makes at each value: `asyncMap` for a stream of events without a value.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - policy: What to do with elements that arrive while the closure runs: see ``StreamBufferingPolicy``.
    ///   - transform: Runs once per value, one call after the other. If it throws, the error is a failure of the new stream,
    ///     which goes on.
    public func asyncMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture _ transform: sending @escaping @isolated(any) () async throws -> M
    ) -> FutureStream<M> {
        asyncMap(Transformation(Operation(run: transform)), name, priority, cancelToken, policy)
    }

    /// Returns a stream of the elements of the futures or streams that an asynchronous closure makes at each value:
    /// `asyncFlatMap` for a stream of events without a value.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Detaches the closure and the inner futures and streams; the new stream is then canceled.
    ///   - policy: What to do with elements that arrive while the closure runs: see ``StreamBufferingPolicy``.
    ///   - transform: Runs once per value, one call after the other. If it throws, the error is a failure of the new stream,
    ///     which goes on.
    public func asyncFlatMap<Inner: FutureStreamConvertible>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) () async throws -> Inner
    ) -> FutureStream<Inner.T> {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, buffering: policy, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Runs an asynchronous closure at each value, one call after the other: `asyncForEach` for a stream of events
    /// without a value.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Detaches the closure; if it is running, its task is canceled.
    ///   - policy: What to do with elements that arrive while the closure runs.
    ///   - apply: Runs once per value.
    /// - Returns: A future that succeeds when the stream has finished and the last call has returned. May be ignored.
    @discardableResult
    public func asyncForEach(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture _ apply: sending @escaping @isolated(any) () async -> Void
    ) -> Future<Void> {
        asyncForEach(Transformation(Operation(run: apply)), name, priority, cancelToken, policy)
    }
}
