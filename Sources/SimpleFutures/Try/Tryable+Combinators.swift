extension Tryable {
    /// Returns the closure's result for the value.
    ///
    /// If it throws, that is the new error. A failure stays as it is.
    @inlinable
    public func map<M>(_ mapping: (T) throws -> M) -> Try<M> {
        flatMap { .success(try mapping($0)) }
    }

    /// Returns the closure's result for the value, which can be a failure.
    ///
    /// If it throws, that is the new error. A failure stays as it is.
    @inlinable
    public func flatMap<M>(_ mapping: (T) throws -> Try<M>) -> Try<M> {
        switch asTry {
        case .success(let value):
            do { return try mapping(value) } catch { return .failure(error) }
        case .failure(let error): return .failure(error)
        }
    }

    /// Returns the closure's result for the error; a success stays as it is.
    @inlinable
    public func mapError(_ mapping: (any Error) -> any Error) -> Try<T> {
        switch asTry {
        case .success(let value): .success(value)
        case .failure(let error): .failure(mapping(error))
        }
    }

    /// Returns the value, or the closure's result for the error.
    ///
    /// If it throws, that is the new error. A success stays as it is.
    @inlinable
    public func recover(_ recovery: (any Error) throws -> T) -> Try<T> {
        recoverWith { .success(try recovery($0)) }
    }

    /// Returns the success, or the closure's result for the error, which can be a failure.
    ///
    /// If it throws, that is the new error. A success stays as it is.
    @inlinable
    public func recoverWith(_ recovery: (any Error) throws -> Try<T>) -> Try<T> {
        switch asTry {
        case .success(let value): return .success(value)
        case .failure(let error):
            do { return try recovery(error) } catch { return .failure(error) }
        }
    }

    /// Returns a failure with ``FuturesError/noSuchElement`` if a closure returns false for the value.
    ///
    /// If it throws, that is the new error. A failure stays as it is.
    @inlinable
    public func filter(_ isIncluded: (T) throws -> Bool) -> Try<T> {
        flatMap { value in
            guard try isIncluded(value) else { throw FuturesError.noSuchElement }
            return .success(value)
        }
    }

    /// Calls a closure with the value, if there is one.
    @inlinable
    public func forEach(_ apply: (T) throws -> Void) rethrows {
        if let value = toOptional() { try apply(value) }
    }

    /// Returns this if it is a success, otherwise the other, which is evaluated only then.
    @inlinable
    public func orElse(_ other: @autoclosure () throws -> Self) rethrows -> Self {
        isSuccess() ? self : try other()
    }

    /// The value, or nil for a failure: `value` under its name in SimpleFutures 0.2.
    @inlinable
    public func toOptional() -> T? { asTry.value }

    /// The value, or a default for a failure, evaluated only then: `??` under its name in SimpleFutures 0.2.
    @inlinable
    public func getOrElse(_ other: @autoclosure () throws -> T) rethrows -> T { try toOptional() ?? other() }

    /// The value, or a default for a failure, evaluated only then.
    ///
    ///     let count = Try { try parse(text) } ?? 0
    @inlinable
    public static func ?? (left: Self, right: @autoclosure () throws -> T) rethrows -> T {
        try left.getOrElse(right())
    }

    /// The left side if it is a success, otherwise the right side, which is evaluated only then.
    @inlinable
    public static func ?? (left: Self, right: @autoclosure () throws -> Self) rethrows -> Self {
        try left.orElse(right())
    }

    /// Whether it is a success.
    @inlinable
    public func isSuccess() -> Bool { !isFailure() }

    /// Whether it is a failure.
    @inlinable
    public func isFailure() -> Bool { asTry.error != nil }

    /// Returns the value, or throws the error of a failure.
    ///
    /// - Throws: The error of a failure.
    @inlinable
    public func get() throws -> T {
        switch asTry {
        case .success(let value): return value
        case .failure(let error): throw error
        }
    }
}
