/// A value or an error: what a future is completed with.
///
///     future.onComplete { result in
///         switch result {
///         case .success(let value): show(value)
///         case .failure(let error): report(error)
///         }
///     }
///
/// It is what `Result` is, with `any Error` for the error, and with the names that SimpleFutures has given it.
public enum Try<T> {
    /// The work has succeeded.
    case success(T)
    /// The work has failed.
    case failure(any Error)

    // Disfavoured, as `Try(result)` and `Try { try f() }` otherwise would be successes with a result and a closure for
    // the value.

    /// Creates a success of a value.
    @_disfavoredOverload @inlinable
    public init(_ value: T) { self = .success(value) }

    /// Creates a failure of an error.
    @inlinable
    public init(_ error: any Error) { self = .failure(error) }

    /// Creates a success of what a closure returns, or a failure of what it throws.
    ///
    ///     let settings = Try { try load(file) }
    ///
    /// The closure is called at once.
    @inlinable
    public init(_ task: () throws -> T) {
        do { self = .success(try task()) } catch { self = .failure(error) }
    }

    /// Creates one of the standard library's `Result`.
    @inlinable
    public init<E: Error>(_ result: Result<T, E>) {
        switch result {
        case .success(let value): self = .success(value)
        case .failure(let error): self = .failure(error)
        }
    }

    /// The value, or nil for a failure.
    @inlinable
    public var value: T? {
        if case .success(let value) = self { value } else { nil }
    }

    /// The error, or nil for a success.
    @inlinable
    public var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The same, as the standard library's `Result`.
    @inlinable
    public var result: Result<T, any Error> {
        switch self {
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        }
    }

    // One of its own, since it is on the way of every await.

    /// The value; the error of a failure is thrown.
    ///
    /// - Throws: The error of a failure.
    @inlinable
    public func get() throws -> T {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw error
        }
    }
}

extension Try: Sendable where T: Sendable {}
