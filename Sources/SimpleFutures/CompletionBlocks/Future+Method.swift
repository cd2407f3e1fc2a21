// One function for each shape of completion handler. They have in common:
//
// - The method is called once, before `future(method:)` returns. If it throws, the future fails.
// - The handler may be called on any thread, before or after the method returns. The first call counts, others are
//   reported to `FuturesDiagnostics`. If the handler is released uncalled, the future is broken.
// - Error and value: the error wins.

/// `(T?, Error?)`: wraps a method whose completion handler gets a value or an error, both optional.
///
///     // func load(_ completion: @escaping (Profile?, (any Error)?) -> Void)
///     let profile = future(method: load)         // Future<Profile>
///
/// A method with more arguments is passed as a closure: `future(method: { client.load(id: 4, completion: $0) })`.
///
/// The first call of the handler counts; it may come from any thread. An error wins over the value. With
/// neither the future fails with ``FuturesError/invalidCompletion``; if the handler is released uncalled, with
/// ``FuturesError/brokenPromise(createdAt:)``. If nil without an error is an answer, annotate the future as
/// `Future<Profile?>`, which keeps it.
///
/// In main-actor code, pass the handler itself to a method whose own handler is not `@Sendable`, as above. A closure
/// around it would be isolated to the main actor and trap on other threads; if you need one, mark it: `{ @Sendable in
/// handler($0, $1) }`.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@preconcurrency @inlinable
public func future<T: Sendable>(
    method: (@escaping @Sendable (T?, (any Error)?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<T> {
    wrap(fileID, line) { block in try method { block.complete($0, $1) } }
}

/// `(T, Error?)`: wraps a method whose completion handler gets a value and an optional error.
///
/// The first call of the handler counts; it may come from any thread. An error wins over the value. If the handler is
/// released uncalled, the future fails with ``FuturesError/brokenPromise(createdAt:)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@preconcurrency @inlinable
public func future<T: Sendable>(
    method: (@escaping @Sendable (T, (any Error)?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<T> {
    wrap(fileID, line) { block in try method { block.complete($0, $1) } }
}

/// `(Error?)`: wraps a method whose completion handler gets an optional error and nothing else.
///
/// The first call of the handler counts; it may come from any thread. Without an error the future succeeds. If the handler
/// is released uncalled, it fails with ``FuturesError/brokenPromise(createdAt:)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@preconcurrency @inlinable
public func future(
    method: (@escaping @Sendable ((any Error)?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<Void> {
    wrap(fileID, line) { block in try method { block.complete((), $0) } }
}

/// `(E?)`: wraps a method whose completion handler gets an optional error of one type and nothing else.
///
/// It is the shape `(Error?)`. Annotated as `Future<E?>` it takes the error as a value.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@preconcurrency @inlinable
public func future<E: Error>(
    method: (@escaping @Sendable (E?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<Void> {
    wrap(fileID, line) { block in try method { block.complete((), $0) } }
}

/// `(T)`: wraps a method whose completion handler gets a value, and which cannot fail.
///
/// The first call of the handler counts; it may come from any thread. If the handler is released uncalled, the future fails
/// with ``FuturesError/brokenPromise(createdAt:)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@preconcurrency @inlinable
public func future<T: Sendable>(
    method: (@escaping @Sendable (T) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<T> {
    wrap(fileID, line) { block in try method { block.complete(.success($0)) } }
}

/// `()`: wraps a method whose completion handler gets no arguments and reports only that the work is done.
///
/// The first call of the handler counts; it may come from any thread. If the handler is released uncalled, the future fails
/// with ``FuturesError/brokenPromise(createdAt:)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
public func future(
    method: (@escaping @Sendable () -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<Void> {
    wrap(fileID, line) { block in try method { block.complete(.success(())) } }
}

/// `(Result)`: wraps a method whose completion handler gets a `Result`.
///
/// The first call of the handler counts; it may come from any thread. If the handler is released uncalled, the future fails
/// with ``FuturesError/brokenPromise(createdAt:)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
public func future<T: Sendable, E: Error>(
    method: (@escaping @Sendable (Result<T, E>) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<T> {
    wrap(fileID, line) { block in try method { block.complete(Try($0)) } }
}

/// `(A?, B?, Error?)`: wraps a method whose completion handler gets two values and an error, as a future of `(A?, B?)`.
///
/// All three are optional, and without an error the values are passed on as they are, also if both are nil. The first
/// call of the handler counts; it may come from any thread. An error wins over the values. If the handler is released
/// uncalled, the future fails with ``FuturesError/brokenPromise(createdAt:)``. Annotated as `Future<(A, B)>`, the future
/// unwraps the values, and fails if one is missing.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
public func future<A: Sendable, B: Sendable>(
    method: (@escaping @Sendable (A?, B?, (any Error)?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<(A?, B?)> {
    wrap(fileID, line) { block in try method { block.complete(($0, $1), $2) } }
}

/// `(A?, B?, Error?)`: wraps a method whose completion handler gets two values and an error, as a future of `(A, B)`.
///
///     let reply: Future<(Data, URLResponse)> = future(method: {
///         session.dataTask(with: url, completionHandler: $0).resume()
///     })
///
/// The first call of the handler counts; it may come from any thread. If one of the values is missing and there is no
/// error, the future fails with ``FuturesError/invalidCompletion``; if the handler is released uncalled, with
/// ``FuturesError/brokenPromise(createdAt:)``. Annotate the result to choose this overload; otherwise the values stay
/// optional.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@_disfavoredOverload @inlinable
public func future<A: Sendable, B: Sendable>(
    method: (@escaping @Sendable (A?, B?, (any Error)?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<(A, B)> {
    wrap(fileID, line) { block in
        try method { first, second, error in
            if let first, let second { block.complete((first, second), error) } else { block.complete(nil, error) }
        }
    }
}

/// `(T)`, `(Error)`: wraps a method that has one handler for success and one for failure.
///
/// The first call of either handler counts; it may come from any thread. If both are released uncalled, the future
/// fails with ``FuturesError/brokenPromise(createdAt:)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
public func future<T: Sendable>(
    method: (@escaping @Sendable (T) -> Void, @escaping @Sendable (any Error) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<T> {
    wrap(fileID, line) { block in try method({ block.complete(.success($0)) }, { block.complete(.failure($0)) }) }
}

/// `(A, B, Error?)`: wraps a method whose completion handler gets two values that are always there, and an error.
///
/// The first call of the handler counts; it may come from any thread. An error wins over the values. If the handler is
/// released uncalled, the future fails with ``FuturesError/brokenPromise(createdAt:)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
public func future<A: Sendable, B: Sendable>(
    method: (@escaping @Sendable (A, B, (any Error)?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<(A, B)> {
    wrap(fileID, line) { block in try method { block.complete(($0, $1), $2) } }
}

/// `(Error?, T?)`: wraps a method whose completion handler gets the error first.
///
/// It is like `(T?, Error?)` with the arguments swapped.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@_disfavoredOverload @inlinable
public func future<T: Sendable>(
    method: (@escaping @Sendable ((any Error)?, T?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<T> {
    wrap(fileID, line) { block in try method { block.complete($1, $0) } }
}

/// `(Error?, T)`: wraps a method whose completion handler gets the error first, and a value that is always there.
///
/// It is like `(T, Error?)` with the arguments swapped.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@_disfavoredOverload @inlinable
public func future<T: Sendable>(
    method: (@escaping @Sendable ((any Error)?, T) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<T> {
    wrap(fileID, line) { block in try method { block.complete($1, $0) } }
}

/// Any other shape: wraps a method whose completion handler gets several values, as a future of all of them.
///
///     // func purchase(_ id: Int, completion: @escaping (Transaction?, Info?, Error?, Bool) -> Void)
///     future { store.purchase(id, completion: $0) }
///         .onSuccess { transaction, info, _, isSandbox in … }
///
/// An optional error of any type, in any position, fails the future unless it is nil. The first call of the
/// handler counts; it may come from any thread. If the handler is released uncalled, the future fails with
/// ``FuturesError/brokenPromise(createdAt:)``.
///
/// - Parameters:
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@_disfavoredOverload
public func future<First: Sendable, Second: Sendable, each Rest: Sendable>(
    method: (@escaping @Sendable (First, Second, repeat each Rest) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Future<(First, Second, repeat each Rest)> {
    wrap(fileID, line) { block in
        try method { (first: First, second: Second, rest: repeat each Rest) in
            if let error = firstError(in: first, second, repeat each rest) {
                block.complete(.failure(error))
            } else {
                block.complete(.success((first, second, repeat each rest)))
            }
        }
    }
}

@inlinable
func wrap<T: Sendable>(
    _ fileID: StaticString, _ line: UInt, _ method: (CompletionBlock<T>) throws -> Void
) -> Future<T> {
    let future = Future<T>()
    let block = CompletionBlock(of: future, createdAt: CreationSite(fileID: fileID, line: line))
    do { try method(block) } catch { block.close(with: error) }
    return future
}
