/// A value or an error: the result of a future.
///
///     profile.onComplete(isolated: { result in
///         switch result {
///         case .success(let value): show(value)
///         case .failure(let error): show(error)
///         }
///     })
///
/// It is like `Result<T, any Error>`, with the function names of SimpleFutures 0.2.
public enum Try<T> {
    /// The work has succeeded.
    case success(T)
    /// The work has failed.
    case failure(any Error)

    // Disfavored, because `Try(result)` and `Try { try f() }` would otherwise be successes with a result or a closure
    // as the value.

    /// Creates a success of a value.
    @_disfavoredOverload @inlinable
    public init(_ value: T) { self = .success(value) }

    /// A success with a value that is an error, as in `Try<LoginError>(.locked)`.
    @_documentation(visibility: internal) @inlinable
    public init(_ value: T) where T: Error { self = .success(value) }

    /// Creates a failure of an error.
    @inlinable
    public init(_ error: any Error) { self = .failure(error) }

    /// Creates a success with the closure's result, or a failure with the error that it throws.
    ///
    ///     let text = Try { try String(contentsOf: file, encoding: .utf8) }
    ///
    /// The closure is called at once.
    @inlinable
    public init(_ task: () throws -> T) {
        do { self = .success(try task()) } catch { self = .failure(error) }
    }

    /// Converts from the standard library's `Result`.
    @inlinable
    public init<E: Error>(_ result: Result<T, E>) {
        switch result {
        case .success(let value): self = .success(value)
        case .failure(let error): self = .failure(erased(error))
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

    /// Converts to the standard library's `Result`.
    @inlinable
    public var result: Result<T, any Error> {
        switch self {
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        }
    }

    // A separate implementation instead of the protocol's, because every await calls it.

    /// Returns the value, or throws the error of a failure.
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
