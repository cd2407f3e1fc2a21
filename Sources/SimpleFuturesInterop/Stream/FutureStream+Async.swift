public import SimpleFutures

extension FutureStream {
    /// Returns a stream of an asynchronous closure's results for each value.
    ///
    ///     let pages = links.asyncMap { try await network.load($0) }
    ///
    /// Calls run one after the other, and the results are in the order of the elements. Elements that arrive during a
    /// call wait, without limit unless you pass a policy. Failures skip the closure and keep their position. It ends
    /// like this stream, after the last result; if a buffer of the policy `failing` overflows, it ends with that error.
    ///
    /// One task runs all calls. As with `Task.init`, the closure is isolated to the caller's actor if it uses that; the
    /// task inherits the caller's priority and task-local values at this call.
    ///
    /// When the new stream has lost its last subscriber and is released, as after `break` in a loop over its values, it
    /// unsubscribes from this stream, and a running call is canceled. If it never had a subscriber, the calls continue.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new stream. If the closure is running, its task is canceled and its
    ///     result is dropped.
    ///   - policy: Decides what to do with elements that arrive while the closure runs. With `newest` and `oldest`,
    ///     values and failures that do not fit are dropped; with `reportingLag`, the new stream gets a failure
    ///     `FuturesError.bufferOverflow(dropped:)` in their place.
    ///   - transform: Runs once per value. If it throws, the error is a failure of the new stream, which continues.
    public func asyncMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (T) async throws -> M
    ) -> FutureStream<M> {
        asyncMap(Transformation(run: transform), name, priority, cancelToken, policy)
    }

    /// Returns a stream of all elements of the futures or streams that an asynchronous closure returns for each value.
    ///
    /// Calls run one after the other, as in ``asyncMap(name:priority:cancelToken:buffering:_:)-(_,_,_,_,(T)->M)``. The
    /// returned futures and streams emit independently of each other. The new stream finishes when this one and all of
    /// them have ended.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Cancels the closure, the links to the inner futures and streams, and the new stream. If the
    ///     closure is running, its task is canceled.
    ///   - policy: Decides what to do with elements that arrive while the closure runs. With `newest` and `oldest`,
    ///     values and failures that do not fit are dropped; with `reportingLag`, the new stream gets a failure
    ///     `FuturesError.bufferOverflow(dropped:)` in their place.
    ///   - transform: Runs once per value. If it throws, the error is a failure of the new stream, which continues.
    public func asyncFlatMap<Inner: FutureStreamConvertible>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) (T) async throws -> Inner
    ) -> FutureStream<Inner.T> {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, buffering: policy, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Returns a stream of the same values, in which an asynchronous closure replaces each failure with a value.
    ///
    /// Calls run one after the other, as in ``asyncMap(name:priority:cancelToken:buffering:_:)-(_,_,_,_,(T)->M)``. The
    /// elements keep their order.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new stream. If the closure is running, its task is canceled and its
    ///     result is dropped.
    ///   - policy: Decides what to do with elements that arrive while the closure runs. With `newest` and `oldest`,
    ///     values and failures that do not fit are dropped; with `reportingLag`, the closure gets the error
    ///     `FuturesError.bufferOverflow(dropped:)` in their place.
    ///   - recovery: Runs once per failure. If it throws, the error is a failure of the new stream, which continues.
    public func asyncRecover(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ recovery: sending @escaping @isolated(any) (any Error) async throws -> T
    ) -> FutureStream<T> {
        let recovery = Transformation(run: recovery)
        return asyncDerive(on: recovery.isolation, name, priority, cancelToken, policy) { element in
            guard case .failure(let error) = element else { return element }
            do { return .success(try await recovery.run(error)) } catch {
                return .failure(original(error))
            }
        }
    }

    /// Runs an asynchronous closure with each value, one after the other.
    ///
    ///     profiles.asyncForEach { await store.save($0) }
    ///
    /// Calls run as in ``asyncMap(name:priority:cancelToken:buffering:_:)-(_,_,_,_,(T)->M)``. Failures are skipped. The
    /// calls continue even if the future is released; to stop them use the token. If a buffer of the policy `failing` is
    /// full, the future fails after the last call.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, the closure stops running; if it is running, its task is canceled.
    ///   - policy: Decides what to do with elements that arrive while the closure runs.
    ///   - apply: Runs once per value. It cannot throw: handle errors in it, or use a loop over `values`.
    /// - Returns: A future that succeeds when the stream has finished and the last call has returned. It is canceled
    ///   when the token or the stream is. You can ignore it.
    @discardableResult
    public func asyncForEach(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ apply: sending @escaping @isolated(any) (T) async -> Void
    ) -> Future<Void> {
        asyncForEach(Transformation(run: apply), name, priority, cancelToken, policy)
    }

    func asyncMap<M: Sendable>(
        _ transform: Transformation<T, M>, _ name: String?, _ priority: TaskPriority?, _ token: CancelToken,
        _ policy: StreamBufferingPolicy
    ) -> FutureStream<M> {
        asyncDerive(on: transform.isolation, name, priority, token, policy) { element in
            do { return .success(try await transform.run(element.get())) } catch {
                return .failure(original(error))
            }
        }
    }

    func asyncForEach(
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
        core.follow(token)
        let relay = AsyncRelay(from: self, under: token, policy)
        let end = relay.end
        end.observe(.plumbing) { end, _ in
            guard !end.isCancelled else { return core.cancelAsTarget() }
            // A buffer overflow is the last element.
            if let error = end.error { core.emit(error: error) }
            core.finish()
        }
        core.add(relay: relay.stream) { end.cancelAsTarget() }
        relay.start(on: actor, name: name, priority: priority) { element in
            let result = await body(element)
            if !end.isCancelled { core.pass(result) }
        }
        return derived
    }
}

// As for futures without a value: closures without a parameter.

extension FutureStream where T == Void {
    /// Returns a stream of an asynchronous closure's results, run for each element of a stream without values.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - policy: Decides what to do with elements that arrive while the closure runs. With `newest` and `oldest`,
    ///     values and failures that do not fit are dropped; with `reportingLag`, the new stream gets a failure
    ///     `FuturesError.bufferOverflow(dropped:)` in their place.
    ///   - transform: Runs once per value, one call after the other. If it throws, the error is a failure of the new
    ///     stream, which continues.
    public func asyncMap<M: Sendable>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture _ transform: sending @escaping @isolated(any) () async throws -> M
    ) -> FutureStream<M> {
        asyncMap(Transformation(Operation(run: transform)), name, priority, cancelToken, policy)
    }

    /// Returns a stream of all elements of the futures or streams that an asynchronous closure returns for each value.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Cancels the closure, the links to the inner futures and streams, and the new stream.
    ///   - policy: Decides what to do with elements that arrive while the closure runs. With `newest` and `oldest`,
    ///     values and failures that do not fit are dropped; with `reportingLag`, the new stream gets a failure
    ///     `FuturesError.bufferOverflow(dropped:)` in their place.
    ///   - transform: Runs once per value, one call after the other. If it throws, the error is a failure of the new
    ///     stream, which continues.
    public func asyncFlatMap<Inner: FutureStreamConvertible>(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture
        _ transform: sending @escaping @isolated(any) () async throws -> Inner
    ) -> FutureStream<Inner.T> {
        asyncMap(name: name, priority: priority, cancelToken: cancelToken, buffering: policy, transform)
            .flatMap(context: ImmediateContext(), cancelToken: cancelToken) { $0 }
    }

    /// Runs an asynchronous closure for each element of a stream without values, one call after the other.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: When canceled, the closure stops running; if it is running, its task is canceled.
    ///   - policy: Decides what to do with elements that arrive while the closure runs.
    ///   - apply: Runs once per value. It cannot throw: handle errors in it, or use a loop over `values`.
    /// - Returns: A future that succeeds when the stream has finished and the last call has returned. You can ignore
    ///   it.
    @discardableResult
    public func asyncForEach(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        buffering policy: StreamBufferingPolicy = .unbounded,
        @_inheritActorContext @_implicitSelfCapture _ apply: sending @escaping @isolated(any) () async -> Void
    ) -> Future<Void> {
        asyncForEach(Transformation(Operation(run: apply)), name, priority, cancelToken, policy)
    }
}
