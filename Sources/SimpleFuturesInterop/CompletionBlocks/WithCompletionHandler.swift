import SimpleFutures

// One function for each shape of completion handler, like those of `future(method:)`.

/// `(T?, Error?)`: calls a method and waits for its completion handler; the value need not be `Sendable`.
///
///     func drawing(_ id: Int) async throws -> sending Drawing {        // a class that is not Sendable
///         try await withCompletionHandler { loadDrawing(id, $0) }
///     }
///
/// A future can have many readers, so its values are `Sendable`. A completion handler has one: the value moves from the
/// method to this caller, exactly once. The compiler cannot check that the method keeps no reference to it: use this
/// function for methods that give their results away, as most do. For `Sendable` values it is shorter than
/// `future(method:)` and `value`.
///
/// The first call of the handler counts, from any thread. With neither value nor error it throws
/// `FuturesError.invalidCompletion`; if the handler is released uncalled, `FuturesError.brokenPromise(createdAt:)`,
/// with the place of this call. If an optional is expected, as for a variable of an optional type, it keeps nil.
///
/// If the task is canceled, it throws at once, and a later result is dropped. If the method returns a
/// ``CancellableHandle``, the handle is canceled. If the task is already canceled, the method is not called. The
/// function runs on the caller's actor and returns there.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws before a call of the handler, so does this function.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
/// - Returns: The value passed to the completion handler.
/// - Throws: The error passed to the completion handler or thrown by the method; a `FuturesError`; `CancellationError`
///   if the task is canceled.
@inlinable
nonisolated(nonsending) public func withCompletionHandler<T, Call>(
    _ method: (@escaping @Sendable (T?, (any Error)?) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending T {
    try await received(fileID, line) { handoff in
        try method { handoff.complete($0, $1) }
    }
}

/// `(T, Error?)`: calls a method and waits for its completion handler, which gets a value and an optional error.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws before a call of the handler, so does this function.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
nonisolated(nonsending) public func withCompletionHandler<T, Call>(
    _ method: (@escaping @Sendable (T, (any Error)?) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending T {
    try await received(fileID, line) { handoff in
        try method { handoff.complete($0, $1) }
    }
}

/// `(Error?)`: calls a method and waits for its completion handler, which gets an optional error and nothing else.
///
/// The error may also be of a type of its own, as `NetworkError?`.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws before a call of the handler, so does this function.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
nonisolated(nonsending) public func withCompletionHandler<E: Error, Call>(
    _ method: (@escaping @Sendable (E?) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws {
    try await received(fileID, line) { handoff in
        try method { handoff.complete((), $0) }
    }
}

/// `(T)`: calls a method and waits for its completion handler, which gets a value.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws before a call of the handler, so does this function.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
nonisolated(nonsending) public func withCompletionHandler<T, Call>(
    _ method: (@escaping @Sendable (T) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending T {
    try await received(fileID, line) { handoff in
        try method { handoff.complete($0, nil) }
    }
}

/// `()`: calls a method and waits for its completion handler, which gets nothing.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws before a call of the handler, so does this function.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
nonisolated(nonsending) public func withCompletionHandler<Call>(
    _ method: (@escaping @Sendable () -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws {
    try await received(fileID, line) { handoff in
        try method { handoff.complete((), nil) }
    }
}

/// `(Result)`: calls a method and waits for its completion handler, which gets a `Result`.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws before a call of the handler, so does this function.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
nonisolated(nonsending) public func withCompletionHandler<T, E: Error, Call>(
    _ method: (@escaping @Sendable (Result<T, E>) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending T {
    try await received(fileID, line) { handoff in
        try method { handoff.complete($0) }
    }
}

/// `(A?, B?, Error?)`: calls a method and waits for its completion handler, and returns both values as optionals.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws before a call of the handler, so does this function.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
nonisolated(nonsending) public func withCompletionHandler<A, B, Call>(
    _ method: (@escaping @Sendable (A?, B?, (any Error)?) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending (A?, B?) {
    try await received(fileID, line) { handoff in
        try method { handoff.complete(($0, $1), $2) }
    }
}

/// `(A?, B?, Error?)`: calls a method and waits for its completion handler, and unwraps both values.
///
/// Annotate the result as `(A, B)` to choose this overload. If one of the values is missing and there is no error, it
/// throws `FuturesError.invalidCompletion`.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws before a call of the handler, so does this function.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@_disfavoredOverload @inlinable
nonisolated(nonsending) public func withCompletionHandler<A, B, Call>(
    _ method: (@escaping @Sendable (A?, B?, (any Error)?) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending (A, B) {
    try await received(fileID, line) { handoff in
        try method { first, second, error in
            if let first, let second { handoff.complete((first, second), error) } else { handoff.complete(nil, error) }
        }
    }
}

/// `(A, B, Error?)`: calls a method and waits for its completion handler, which gets two values and an optional error.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws before a call of the handler, so does this function.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
nonisolated(nonsending) public func withCompletionHandler<A, B, Call>(
    _ method: (@escaping @Sendable (A, B, (any Error)?) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending (A, B) {
    try await received(fileID, line) { handoff in
        try method { handoff.complete(($0, $1), $2) }
    }
}

/// `(T)`, `(Error)`: calls a method and waits for one of its handlers, one for success and one for failure.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws before a call of the handler, so does this function.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
nonisolated(nonsending) public func withCompletionHandler<T, Call>(
    _ method: (@escaping @Sendable (T) -> Void, @escaping @Sendable (any Error) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending T {
    try await received(fileID, line) { handoff in
        try method({ handoff.complete($0, nil) }, { handoff.complete(nil, $0) })
    }
}

/// `(Error?, T?)`: calls a method and waits for its completion handler, which gets the error first.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws before a call of the handler, so does this function.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@_disfavoredOverload @inlinable
nonisolated(nonsending) public func withCompletionHandler<T, Call>(
    _ method: (@escaping @Sendable ((any Error)?, T?) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending T {
    try await received(fileID, line) { handoff in
        try method { handoff.complete($1, $0) }
    }
}

/// `(Error?, T)`: calls a method and waits for its completion handler, which gets the error first, then a value.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws before a call of the handler, so does this function.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@_disfavoredOverload @inlinable
nonisolated(nonsending) public func withCompletionHandler<T, Call>(
    _ method: (@escaping @Sendable ((any Error)?, T) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending T {
    try await received(fileID, line) { handoff in
        try method { handoff.complete($1, $0) }
    }
}

/// Any other shape: calls a method and waits for its completion handler, and takes all of its values, as a tuple.
///
/// An error, wherever it stands as an `Error?`, is thrown; in the tuple of a success it is nil. For the rest see
/// ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
@_disfavoredOverload
nonisolated(nonsending) public func withCompletionHandler<First, Second, each Rest, Call>(
    _ method: (@escaping @Sendable (First, Second, repeat each Rest) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending (First, Second, repeat each Rest) {
    try await received(fileID, line) { handoff in
        try method { (first: First, second: Second, rest: repeat each Rest) in
            if let error = firstError(in: first, second, repeat each rest) {
                handoff.complete(nil, error)
            } else {
                handoff.complete((first, second, repeat each rest), nil)
            }
        }
    }
}
