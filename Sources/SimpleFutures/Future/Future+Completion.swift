extension Future {
    /// Completes the future with a result.
    ///
    /// The first completion wins; a later one changes nothing and is reported to ``FuturesDiagnostics``. On a
    /// canceled future it has no effect and is not reported.
    @preconcurrency @inlinable
    public func complete(_ result: Try<T>) {
        if settle(result) == .completedBefore { reportCompletedTwice() }
    }

    @usableFromInline
    func reportCompletedTwice() { FuturesDiagnostics.report(.completedTwice(createdAt: nil)) }

    /// Completes the future with a value, as ``complete(_:)`` does.
    @preconcurrency @inlinable
    public func success(_ value: T) { complete(.success(value)) }

    /// Completes the future with an error, as ``complete(_:)`` does.
    @inlinable
    public func failure(_ error: any Error) { complete(.failure(error)) }

    /// Completes the future with a result, unless it is completed or canceled.
    ///
    /// - Returns: Whether this call completed the future.
    @_disfavoredOverload @inlinable @discardableResult
    public func tryComplete(_ result: Try<T>) -> Bool { settle(result) == .accepted }

    /// Completes the future with a value, unless it is completed or canceled.
    ///
    /// Returns whether this call completed the future.
    @_disfavoredOverload @inlinable @discardableResult
    public func trySuccess(_ value: T) -> Bool { tryComplete(.success(value)) }

    /// Completes the future with an error, unless it is completed or canceled.
    ///
    /// Returns whether this call completed the future.
    @_disfavoredOverload @inlinable @discardableResult
    public func tryFailure(_ error: any Error) -> Bool { tryComplete(.failure(error)) }
}

extension Future where T == Void {
    /// Completes the future.
    @inlinable
    public func success() { success(()) }

    /// Completes the future, unless it is completed or canceled.
    ///
    /// Returns whether this call completed the future.
    @_disfavoredOverload @inlinable @discardableResult
    public func trySuccess() -> Bool { trySuccess(()) }
}
