import SimpleFutures

// One function for each shape of completion handler, as there is one `future(method:)` for each.

/// `(T?, Error?)`: calls a method and waits for its completion handler; the value need not be `Sendable`.
///
///     func document(_ id: Int) async throws -> sending Document {        // a class that is not Sendable
///         try await withCompletionHandler { store.load(id: id, completion: $0) }
///     }
///
/// A future has many readers, so its values are `Sendable`. A completion handler has one: the value goes from the method
/// to this caller, exactly once. The compiler cannot see that the method keeps no reference to it: use it for methods
/// that hand their results over, as most do. For `Sendable` values it is the short form of `future(method:)` and `value`.
///
/// The first call of the handler counts, from any thread. With neither value nor error it throws
/// `FuturesError.invalidCompletion`; if the handler is released uncalled, `FuturesError.brokenPromise(createdAt:)`, with
/// the place of this call. Where an optional is expected, as by a variable of an optional type, it keeps nil.
///
/// If the task is canceled, it throws at once, and what comes later is dropped. If the method returns a
/// ``CancellableHandle``, that is canceled. In a task that is canceled already the method is not called. It runs on
/// the caller's actor and returns there.
///
/// - Parameters:
///   - method: Runs once, before this returns. This function rethrows its errors.
///   - fileID: The place of the call, for diagnostics.
///   - line: The place of the call, for diagnostics.
/// - Returns: The value that was passed to the completion handler.
/// - Throws: The error that was passed to the completion handler, or that the method has thrown; a `FuturesError`;
///   `CancellationError` if the task is canceled.
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
///   - method: Runs once, before this returns. This function rethrows its errors.
///   - fileID: The place of the call, for diagnostics.
///   - line: The place of the call, for diagnostics.
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
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. This function rethrows its errors.
///   - fileID: The place of the call, for diagnostics.
///   - line: The place of the call, for diagnostics.
nonisolated(nonsending) public func withCompletionHandler<Call>(
    _ method: (@escaping @Sendable ((any Error)?) -> Void) throws -> Call,
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
///   - method: Runs once, before this returns. This function rethrows its errors.
///   - fileID: The place of the call, for diagnostics.
///   - line: The place of the call, for diagnostics.
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
///   - method: Runs once, before this returns. This function rethrows its errors.
///   - fileID: The place of the call, for diagnostics.
///   - line: The place of the call, for diagnostics.
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
///   - method: Runs once, before this returns. This function rethrows its errors.
///   - fileID: The place of the call, for diagnostics.
///   - line: The place of the call, for diagnostics.
nonisolated(nonsending) public func withCompletionHandler<T, E: Error, Call>(
    _ method: (@escaping @Sendable (Result<T, E>) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending T {
    try await received(fileID, line) { handoff in
        try method { handoff.complete($0) }
    }
}

/// `(A?, B?, Error?)`: calls a method and waits for its completion handler, and takes both values as they come.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. This function rethrows its errors.
///   - fileID: The place of the call, for diagnostics.
///   - line: The place of the call, for diagnostics.
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
/// It must be annotated as `(A, B)`. If one of the values is missing and there is no error, it throws
/// `FuturesError.invalidCompletion`.
///
/// For the rest see ``withCompletionHandler(_:fileID:line:)-(((T?,(Error)?)->Void)->Call,_,_)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. This function rethrows its errors.
///   - fileID: The place of the call, for diagnostics.
///   - line: The place of the call, for diagnostics.
@_disfavoredOverload
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
///   - method: Runs once, before this returns. This function rethrows its errors.
///   - fileID: The place of the call, for diagnostics.
///   - line: The place of the call, for diagnostics.
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
///   - method: Runs once, before this returns. This function rethrows its errors.
///   - fileID: The place of the call, for diagnostics.
///   - line: The place of the call, for diagnostics.
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
///   - method: Runs once, before this returns. This function rethrows its errors.
///   - fileID: The place of the call, for diagnostics.
///   - line: The place of the call, for diagnostics.
@_disfavoredOverload
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
///   - method: Runs once, before this returns. This function rethrows its errors.
///   - fileID: The place of the call, for diagnostics.
///   - line: The place of the call, for diagnostics.
@_disfavoredOverload
nonisolated(nonsending) public func withCompletionHandler<T, Call>(
    _ method: (@escaping @Sendable ((any Error)?, T) -> Void) throws -> Call,
    fileID: StaticString = #fileID, line: UInt = #line
) async throws -> sending T {
    try await received(fileID, line) { handoff in
        try method { handoff.complete($1, $0) }
    }
}

/// The way of a value from a completion handler to its receiver.
private struct Handoff<T>: Sendable {
    let block: CompletionBlock<Lock<T?>>

    func complete(_ value: T?, _ error: (any Error)?) { block.complete(value.map { Lock($0) }, error) }

    func complete(_ result: Result<T, some Error>) {
        switch result {
        case .success(let value): complete(value, nil)
        case .failure(let error): complete(nil, error)
        }
    }
}

nonisolated(nonsending) private func received<T, Call>(
    _ fileID: StaticString, _ line: UInt, _ method: (Handoff<T>) throws -> Call
) async throws -> sending T {
    guard !Task.isCancelled else { throw taskCancellation() }
    // It is there, as this is its only receiver.
    return try await handedOver(fileID, line, method).exchange(nil).unsafelyUnwrapped
}

nonisolated(nonsending) private func handedOver<T, Call>(
    _ fileID: StaticString, _ line: UInt, _ method: (Handoff<T>) throws -> Call
) async throws -> Lock<T?> {
    // With nothing to cancel there is no need of a token, which takes half off the time (row 11 of the benchmarks).
    guard Call.self != Void.self else { return try await called(fileID, line, method).value }
    let token = CancelToken()
    let future = abandonable(token, .abandon, fileID, line, nil) { (block: CompletionBlock<Lock<T?>>) in
        let call = try method(Handoff(block: block))
        return (call as? any CancellableHandle).map { handle in CancelAction { handle.cancel() } }
    }
    return try await future.value(cancelling: token)
}

/// A function of its own, so that the handler is released before the wait.
private func called<T, Call>(
    _ fileID: StaticString, _ line: UInt, _ method: (Handoff<T>) throws -> Call
) -> Future<Lock<T?>> {
    let future = Future<Lock<T?>>()
    let block = CompletionBlock(of: future, createdAt: CreationSite(fileID: fileID, line: line))
    do { _ = try method(Handoff(block: block)) } catch { block.close(with: error) }
    return future
}
