extension Futurable {
    /// Returns a future of the closure's result for the value.
    ///
    ///     let length = profile.map { $0.name.count }
    ///
    /// Failures and cancellations skip the closure and end the new future, without a thread hop.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure: by default the main queue. For long work pass another, such as
    ///     `.global`.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - mapping: Runs once if this one succeeds. If it throws, the new future fails.
    @preconcurrency @inlinable
    public func map<M: Sendable>(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (T) throws -> M
    ) -> Future<M> {
        let derived = Future<M>()
        asFuture(cancelToken: cancelToken).observe(.transform, on: context, under: cancelToken, target: derived) {
            source, target in
            let derived = target.unsafelyUnwrapped.future(of: M.self)
            do { derived.settle(.success(try mapping(source.settledValue(as: T.self)))) } catch {
                _ = derived.fail(error)
            }
        }
        return derived
    }

    // Disfavored: with two equal overloads, the compiler takes many times as long for chains of closures.

    /// Returns a future of a property of the value.
    ///
    ///     let name = profile.map(\.name)
    ///
    /// If the property belongs to the main actor, write `map(isolated: { $0.name })`.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - context: The context that reads the property.
    ///   - cancelToken: When canceled, cancels the new future.
    @_disfavoredOverload @inlinable
    public func map<M: Sendable>(
        _ keyPath: any KeyPath<T, M> & Sendable, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> Future<M> {
        map(context: context, cancelToken: cancelToken) { $0[keyPath: keyPath] }
    }

    /// The same in Swift 5 mode, where the compiler does not know that a key path of constants is `Sendable`, and warns.
    @_documentation(visibility: internal)
    @_disfavoredOverload @available(swift, obsoleted: 6)
    public func map<M: Sendable>(
        _ keyPath: KeyPath<T, M>, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> Future<M> {
        nonisolated(unsafe) let keyPath = keyPath
        return map(context: context, cancelToken: cancelToken) { $0[keyPath: keyPath] }
    }

    /// Returns a future with the result of the future that a closure returns for the value: one request after the other.
    ///
    ///     let avatar = client.profile().flatMap { client.image(at: $0.avatarURL) }
    ///
    /// If one of the two futures fails or is canceled, so is the new one.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. The inner future completes the new one without a thread hop.
    ///   - cancelToken: Cancels the closure, or, after it has run, the link to the inner future. Either way the new
    ///     future is canceled; the inner future itself continues.
    ///   - mapping: Runs once if this one succeeds. If it throws, the new future fails.
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

    /// Returns a future of the same value, or a failure with ``FuturesError/noSuchElement`` if a closure returns false.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - filter: Runs once if this one succeeds. If it throws, the new future fails.
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

    /// Returns a future of the same value, or a failure if a closure returns false.
    ///
    /// Failures and cancellations skip the closure. Same as ``withFilter(context:cancelToken:filter:)``, under the name used by Swift's sequences.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - isIncluded: Runs once if this one succeeds. If it throws, the new future fails.
    @inlinable
    public func filter(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ isIncluded: @escaping @Sendable (T) throws -> Bool
    ) -> Future<T> {
        withFilter(context: context, cancelToken: cancelToken, filter: isIncluded)
    }

    /// Returns a future of the closure's result, or a failure with ``FuturesError/noSuchElement`` if that is nil.
    ///
    ///     let port = settings.compactMap { Int($0["port"] ?? "") }
    ///
    /// Failures and cancellations skip the closure. PromiseKit has the same function.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - transform: Runs once if this one succeeds. If it throws, the new future fails.
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

    /// Returns a future with the same result, after running a closure in any case: success, failure or cancellation.
    ///
    ///     spinner.start()
    ///     let profile = client.profile().ensure(isolated: { spinner.stop() })
    ///
    /// The closure runs once, also after a broken promise. Then the new future ends like this one. A token cannot
    /// cancel the closure. PromiseKit has the same function.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cleanUp: Runs once, when this future has ended.
    @preconcurrency @inlinable
    @discardableResult
    public func ensure(
        context: any ExecutionContext = QueueContext.futuresDefault, _ cleanUp: @escaping @Sendable () -> Void
    ) -> Future<T> {
        let derived = Future<T>()
        asFuture().observe(.ensuring, on: context, under: .none, target: derived) { source, target in
            cleanUp()
            source.pass(to: target) { forward($0, to: $1, as: T.self) }
        }
        return derived
    }

    /// Runs a closure with the value.
    ///
    /// Same as ``onSuccess(context:cancelToken:completion:)->()``, under the name used by Swift's sequences.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, the closure does not run.
    ///   - apply: Runs at most once.
    @preconcurrency @inlinable
    public func forEach(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        apply: @escaping @Sendable (T) -> Void
    ) {
        onSuccess(context: context, cancelToken: cancelToken, completion: apply)
    }

    /// Returns a future with the same result, after running a closure with the value: for side effects in a chain.
    ///
    /// A failure skips the closure.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure.
    ///   - cancelToken: When canceled, cancels the new future.
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

    /// Returns a future without a value that succeeds when this one does.
    ///
    /// It fails with the same error, and is canceled when this one is.
    public func asVoid() -> Future<Void> {
        let derived = Future<Void>()
        asFuture().observe(.forwarding, leavingWith: derived) { _, target in
            guard let target else { return }
            target.future(of: Void.self).settle(.success(()))
        }
        return derived
    }
}
