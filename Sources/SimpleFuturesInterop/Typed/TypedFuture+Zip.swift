import SimpleFutures

extension TypedFuture {
    /// Returns a future of this value and the values of other futures.
    ///
    /// It fails with the first failure. All have the same error type. If they differ, use
    /// ``mapError(context:cancelToken:mapping:)`` first.
    ///
    /// - Parameters:
    ///   - other: The second future.
    ///   - others: More futures.
    public func zip<A: Sendable, each B: Sendable>(
        _ other: TypedFuture<A, Failure>, _ others: repeat TypedFuture<each B, Failure>
    ) -> TypedFuture<(T, A, repeat each B), Failure> {
        TypedFuture<(T, A, repeat each B), Failure>(future.zip(other.future, repeat (each others).future))
    }

    // Overloads without a parameter pack, for the closures that follow: see `Future.zip`.

    /// Returns a future of this value and the value of another future: see ``zip(_:_:)``.
    ///
    /// - Parameter other: The second future.
    @_documentation(visibility: internal)
    public func zip<A: Sendable>(_ other: TypedFuture<A, Failure>) -> TypedFuture<(T, A), Failure> {
        TypedFuture<(T, A), Failure>(future.zip(other.future))
    }

    /// Returns a future of this value and the values of two other futures: see ``zip(_:_:)``.
    ///
    /// - Parameters:
    ///   - second: The second future.
    ///   - third: The third future.
    @_documentation(visibility: internal)
    public func zip<A: Sendable, B: Sendable>(
        _ second: TypedFuture<A, Failure>, _ third: TypedFuture<B, Failure>
    ) -> TypedFuture<(T, A, B), Failure> {
        TypedFuture<(T, A, B), Failure>(future.zip(second.future, third.future))
    }

    /// Returns a future of this value and the values of three other futures: see ``zip(_:_:)``.
    ///
    /// - Parameters:
    ///   - second: The second future.
    ///   - third: The third future.
    ///   - fourth: The fourth future.
    @_documentation(visibility: internal)
    public func zip<A: Sendable, B: Sendable, C: Sendable>(
        _ second: TypedFuture<A, Failure>, _ third: TypedFuture<B, Failure>, _ fourth: TypedFuture<C, Failure>
    ) -> TypedFuture<(T, A, B, C), Failure> {
        TypedFuture<(T, A, B, C), Failure>(future.zip(second.future, third.future, fourth.future))
    }

    /// Returns a future of this value and the values of four other futures: see ``zip(_:_:)``.
    ///
    /// - Parameters:
    ///   - second: The second future.
    ///   - third: The third future.
    ///   - fourth: The fourth future.
    ///   - fifth: The fifth future.
    @_documentation(visibility: internal)
    public func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ second: TypedFuture<A, Failure>, _ third: TypedFuture<B, Failure>, _ fourth: TypedFuture<C, Failure>,
        _ fifth: TypedFuture<D, Failure>
    ) -> TypedFuture<(T, A, B, C, D), Failure> {
        TypedFuture<(T, A, B, C, D), Failure>(future.zip(second.future, third.future, fourth.future, fifth.future))
    }
}

/// Returns a future of the values of several futures with the same error type.
///
///     let (user, admin) = try await zip(login("ada"), login("root")).value    // throws LoginError
///
/// It fails with the first failure. If the error types differ, use ``TypedFuture/mapError(context:cancelToken:mapping:)``
/// first.
///
/// - Parameters:
///   - first: The first future.
///   - second: The second future.
///   - others: More futures.
public func zip<A: Sendable, B: Sendable, each C: Sendable, Failure: Error>(
    _ first: TypedFuture<A, Failure>, _ second: TypedFuture<B, Failure>,
    _ others: repeat TypedFuture<each C, Failure>
) -> TypedFuture<(A, B, repeat each C), Failure> {
    first.zip(second, repeat each others)
}

// Overloads without a parameter pack, for the closures that follow, as above.

/// Returns a future of the values of two futures with the same error type: see `zip(_:_:_:)`.
///
/// - Parameters:
///   - first: The first future.
///   - second: The second future.
@_documentation(visibility: internal)
public func zip<A: Sendable, B: Sendable, Failure: Error>(
    _ first: TypedFuture<A, Failure>, _ second: TypedFuture<B, Failure>
) -> TypedFuture<(A, B), Failure> {
    first.zip(second)
}

/// Returns a future of the values of three futures with the same error type: see `zip(_:_:_:)`.
///
/// - Parameters:
///   - first: The first future.
///   - second: The second future.
///   - third: The third future.
@_documentation(visibility: internal)
public func zip<A: Sendable, B: Sendable, C: Sendable, Failure: Error>(
    _ first: TypedFuture<A, Failure>, _ second: TypedFuture<B, Failure>, _ third: TypedFuture<C, Failure>
) -> TypedFuture<(A, B, C), Failure> {
    first.zip(second, third)
}
