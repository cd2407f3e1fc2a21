extension Futurable {
    /// Returns a future of the same value, or of the value that a closure returns for the error.
    ///
    /// A cancellation is not a failure: the closure does not run, and the new future is canceled.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. A success is passed on without a thread hop.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - recovery: Runs once if this one fails. If it throws, the new future fails.
    @preconcurrency @inlinable
    public func recover(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> T
    ) -> Future<T> {
        let derived = Future<T>()
        asFuture(cancelToken: cancelToken).observe(.recovery, on: context, under: cancelToken, target: derived) {
            source, target in
            guard let error = source.error else { return forward(source, to: target, as: T.self) }
            let derived = target.unsafelyUnwrapped.future(of: T.self)
            do { derived.settle(.success(try recovery(error))) } catch { _ = derived.fail(error) }
        }
        return derived
    }

    /// Returns a future of the same value, or the result of the future that a closure returns for the error.
    ///
    /// A cancellation is not a failure: the closure does not run, and the new future is canceled.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. A success is passed on without a thread hop.
    ///   - cancelToken: Cancels the closure, or, after it has run, the link to the inner future. Either way the new
    ///     future is canceled; the inner future itself continues.
    ///   - recovery: Runs once if this one fails. If it throws, the new future fails.
    @preconcurrency @inlinable
    public func recoverWith(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        recovery: @escaping @Sendable (any Error) throws -> Future<T>
    ) -> Future<T> {
        let derived = Future<T>()
        asFuture(cancelToken: cancelToken).observe(.recovery, on: context, under: cancelToken, target: derived) {
            source, target in
            guard let target else { return }
            guard let error = source.error else { return forward(source, to: target, as: T.self) }
            do { try recovery(error).lead(to: target, under: cancelToken) } catch { _ = target.fail(error) }
        }
        return derived
    }

    /// Returns a future of the same value, or with another error.
    ///
    /// A cancellation is not a failure: the closure does not run, and the new future is canceled.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. A success is passed on without a thread hop.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - mapping: Runs once if this one fails, and returns the error of the new future.
    @preconcurrency @inlinable
    public func mapError(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        mapping: @escaping @Sendable (any Error) -> any Error
    ) -> Future<T> {
        recover(context: context, cancelToken: cancelToken) { throw mapping($0) }
    }

    /// Returns a future of the same value, or the result of another future for the error.
    ///
    /// Same as ``recoverWith(context:cancelToken:recovery:)``, under the name used by Pill and by Swift's `Result`.
    ///
    /// - Parameters:
    ///   - context: The context that runs the closure. A success is passed on without a thread hop.
    ///   - cancelToken: Cancels the closure, or, after it has run, the link to the inner future. Either way the new
    ///     future is canceled; the inner future itself continues.
    ///   - recovery: Runs once if this one fails. If it throws, the new future fails.
    @inlinable
    public func flatMapError(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        _ recovery: @escaping @Sendable (any Error) throws -> Future<T>
    ) -> Future<T> {
        recoverWith(context: context, cancelToken: cancelToken, recovery: recovery)
    }

    /// Returns a future of the same value, or of another value if this one fails.
    ///
    ///     let name = profile.map { $0.name } ?? "unknown"
    ///
    /// The right side is evaluated on ``QueueContext/futuresDefault``, once and only if this one fails. If it throws,
    /// the new future fails.
    @preconcurrency @inlinable
    public static func ?? (
        left: Self, right: @autoclosure @escaping @Sendable () throws -> T
    ) -> Future<T> {
        left.recover { _ in try right() }
    }

    /// Returns a future of the same value, or the result of another future if this one fails.
    ///
    ///     let page = cache.page(for: url) ?? client.load(url)
    ///
    /// The right side is evaluated on ``QueueContext/futuresDefault``, once and only if this one fails. If it throws,
    /// the new future fails.
    @preconcurrency @inlinable
    public static func ?? (
        left: Self, right: @autoclosure @escaping @Sendable () throws -> Future<T>
    ) -> Future<T> {
        left.recoverWith { _ in try right() }
    }

    /// Returns a future whose value is the result of this one, success or failure.
    ///
    ///     // friends: Try<[Profile]>
    ///     zip(profile, friends.materialize()).onSuccess { profile, friends in … }
    ///
    /// If this one is canceled, so is the new one.
    @inlinable
    public func materialize() -> Future<Try<T>> {
        let derived = Future<Try<T>>()
        asFuture().observe(.completion, leavingWith: derived) { source, target in
            guard let target, let result = source.settledResult(as: T.self) else { return }
            target.future(of: Try<T>.self).settle(.success(result))
        }
        return derived
    }
}
