extension Futurable {
    /// A future of what a closure makes of the value.
    ///
    ///     let length = name.map { $0.count }
    ///
    /// A failure passes the closure by and fails the new future, on the thread that completes this one; a cancellation
    /// cancels it.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs.
    ///   - cancelToken: Detaches the closure; the new future is then cancelled.
    ///   - mapping: Runs once if this one succeeds. What it throws fails the new future.
    @preconcurrency @inlinable
    public func map<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> M
    ) -> Future<M> {
        let derived = Future<M>()
        asFuture(cancelToken: cancelToken).observe(.transform, on: context, under: cancelToken, target: derived) {
            source, target in
            let derived = unsafeDowncast(target.unsafelyUnwrapped, to: Future<M>.self)
            do { derived.settle(.success(try mapping(source.settledValue(as: T.self)))) } catch {
                _ = derived.fail(error)
            }
        }
        return derived
    }

    /// A future of the result of the future that a closure makes of the value: one request after the other.
    ///
    ///     let avatar = client.profile().flatMap { client.image(at: $0.avatarURL) }
    ///
    /// A failure of either future fails the new one; a cancellation of either cancels it.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs. The inner future completes the new one without a detour.
    ///   - cancelToken: Detaches the closure, or, after it has run, the new future from the inner one. Either way the
    ///     new future is cancelled; the inner future itself goes on.
    ///   - mapping: Runs once if this one succeeds. What it throws fails the new future.
    @preconcurrency @inlinable
    public func flatMap<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> Future<M>
    ) -> Future<M> {
        let derived = Future<M>()
        asFuture(cancelToken: cancelToken).observe(.transform, on: context, under: cancelToken, target: derived) {
            source, target in
            guard let target else { return }
            do {
                try mapping(source.settledValue(as: T.self)).lead(to: target, under: cancelToken)
            } catch { _ = target.fail(error) }
        }
        return derived
    }

    /// A future of the same value, if a closure approves of it; else it fails with ``FuturesError/noSuchElement``.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs.
    ///   - cancelToken: Detaches the closure; the new future is then cancelled.
    ///   - filter: Runs once if this one succeeds. What it throws fails the new future.
    @preconcurrency @inlinable
    public func withFilter(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        filter: @escaping @Sendable (T) throws -> Bool
    ) -> Future<T> {
        map(context: context, cancelToken: cancelToken) { value in
            guard try filter(value) else { throw FuturesError.noSuchElement }
            return value
        }
    }

    /// A future of the same value, if a closure approves of it: `withFilter` by another name.
    ///
    /// It is ``withFilter(context:cancelToken:filter:)`` by the name that Swift's sequences have for it.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs.
    ///   - cancelToken: Detaches the closure; the new future is then cancelled.
    ///   - isIncluded: Runs once if this one succeeds. What it throws fails the new future.
    @inlinable
    public func filter(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ isIncluded: @escaping @Sendable (T) throws -> Bool
    ) -> Future<T> {
        withFilter(context: context, cancelToken: cancelToken, filter: isIncluded)
    }

    /// A future of what a closure makes of the value, if it makes something; else it fails with
    /// ``FuturesError/noSuchElement``.
    ///
    ///     let port = settings.compactMap { Int($0["port"] ?? "") }
    ///
    /// Failures and cancellation pass the closure by. It is PromiseKit's `compactMap`.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs.
    ///   - cancelToken: Detaches the closure; the new future is then cancelled.
    ///   - transform: Runs once if this one succeeds. What it throws fails the new future.
    @inlinable
    public func compactMap<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ transform: @escaping @Sendable (T) throws -> M?
    ) -> Future<M> {
        map(context: context, cancelToken: cancelToken) { value in
            guard let result = try transform(value) else { throw FuturesError.noSuchElement }
            return result
        }
    }

    /// A future of the same end, after a closure has run: for what must be undone however the work ends.
    ///
    ///     spinner.start()
    ///     let profile = client.profile().ensure(context: QueueContext.main) { spinner.stop() }
    ///
    /// The closure runs once: after a success, a failure or a cancellation, or when everything that could complete this
    /// future was released. Then the new future ends as this one has. Nobody can detach the closure. It is PromiseKit's
    /// `ensure`.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs.
    ///   - cleanUp: Runs once when this future has ended.
    public func ensure(
        context: any ExecutionContext = QueueContext.futuresDefault, _ cleanUp: @escaping @Sendable () -> Void
    ) -> Future<T> {
        let derived = Future<T>()
        asFuture().observe(.ensuring, on: context, under: .none, target: derived) { source, target in
            cleanUp()
            source.deliver(
                .forwarding, to: target, { source, target in forward(source, to: target, as: T.self) }, source.phase)
        }
        return derived
    }

    /// Runs a closure with the value, if there comes one: `onSuccess` by another name.
    ///
    /// It is ``onSuccess(context:cancelToken:completion:)->()`` by the name that Swift's sequences have for it.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs.
    ///   - cancelToken: Detaches the closure, which then never runs.
    ///   - apply: Runs once at the most.
    @preconcurrency @inlinable
    public func forEach(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        apply: @escaping @Sendable (T) -> Void
    ) {
        onSuccess(context: context, cancelToken: cancelToken, completion: apply)
    }

    /// A future of the same result, completed after a closure has run with the value: for side effects whose place in a
    /// chain matters.
    ///
    /// A failure passes the closure by.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs.
    ///   - cancelToken: Detaches the closure; the new future is then cancelled.
    ///   - completion: Runs once if this one succeeds.
    @preconcurrency @inlinable
    public func andThen(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        completion: @escaping @Sendable (T) -> Void
    ) -> Future<T> {
        map(context: context, cancelToken: cancelToken) { value in
            completion(value)
            return value
        }
    }

    /// A future that succeeds when this one does, without a value: for those who wait for the end alone.
    ///
    /// It fails with the same error, and is cancelled when this one is.
    public func asVoid() -> Future<Void> {
        let derived = Future<Void>()
        asFuture().observe(.forwarding, leavingWith: derived) { _, target in
            guard let target else { return }
            unsafeDowncast(target, to: Future<Void>.self).settle(.success(()))
        }
        return derived
    }
}
