public import SimpleFutures

// One function for each shape of completion handler, like those of `future(method:)`. They have in common:
//
// - The token cancels the future at once, then the handle, exactly once, unless the future is already completed.
// - A value that arrives after that, or has no receiver, goes to `onLate`.

/// `(T?, Error?)`: wraps a method whose completion handler gets a value or an error, and that returns a handle.
///
/// The handle can cancel the call.
///
///     let page: Future<Page> = future(cancelToken: token) {
///         client.load(url, completion: $0)
///     }
///
/// When the token is canceled, the future is canceled at once, unless `onCancel` says to wait, and then the handle,
/// exactly once, even if the method has not returned it yet. If the token is already canceled, the method is not
/// called, and the future is canceled, or fails with `CancellationError` if it is to wait. Once the future is
/// completed, handle and token are no longer linked. Releasing the future does not cancel the call, nor does canceling
/// a task that awaits its `value`: for that, await `value(cancelling:)` with the token.
///
/// Otherwise it is like `future(method:)`: the first call of the handler counts, from any thread. With neither value
/// nor error the future fails with `FuturesError.invalidCompletion`; if the handler is released uncalled, with
/// `FuturesError.brokenPromise(createdAt:)`. Annotated as `Future<Page?>`, it keeps nil.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether a cancellation cancels the future at once, or the future waits for the call's own result: use
///     that for calls that must have ended before other work begins.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
@inlinable
public func future<T: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line,
    method: (@escaping @Sendable (T?, (any Error)?) -> Void) throws -> Handle?
) -> Future<T> {
    abandonable(cancelToken, response, fileID, line, nil) { block in
        try method { block.complete($0, $1) }
    }
}

/// `(T, Error?)`: wraps a method whose completion handler gets a value and an optional error, and that returns a handle.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:method:)-(_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is canceled with the token, or waits for the call's own result.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
@inlinable
public func future<T: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line,
    method: (@escaping @Sendable (T, (any Error)?) -> Void) throws -> Handle?
) -> Future<T> {
    abandonable(cancelToken, response, fileID, line, nil) { block in
        try method { block.complete($0, $1) }
    }
}

/// `(T?, Error?)` or `(T, Error?)`: wraps a method that returns a handle, with a closure for values that arrive too
/// late.
///
///     let connection = future(cancelToken: token, onLate: { $0.close() }) {
///         client.connect(completion: $0)
///     }
///
/// It always unwraps the value: nil without an error fails the future with `FuturesError.invalidCompletion`, even if it
/// is annotated as a future of an optional. For the rest see
/// ``future(cancelToken:onCancel:fileID:line:method:)-(_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is canceled with the token, or waits for the call's own result.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
///   - onLate: Receives a value that no caller takes, to close or delete it: a connection, a temporary file. That
///     happens when the future is canceled, or released without waiters. It runs on the thread that calls the handler.
///     Without it such a value is dropped, as are late errors.
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
@inlinable
public func future<T: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable (T) -> Void)?,
    method: (@escaping @Sendable (T?, (any Error)?) -> Void) throws -> Handle?
) -> Future<T> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method { block.complete($0, $1) }
    }
}

/// `(Error?)`: wraps a method whose completion handler gets only an optional error, and that returns a handle.
///
/// The error may also be of a type of its own, as `NetworkError?`.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:method:)-(_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is canceled with the token, or waits for the call's own result.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
///   - onLate: Runs if a success arrives too late, on the thread that calls the handler.
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
@inlinable
public func future<E: Error, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable () -> Void)? = nil,
    method: (@escaping @Sendable (E?) -> Void) throws -> Handle?
) -> Future<Void> {
    abandonable(cancelToken, response, fileID, line, onLate.map { late in { @Sendable (_: Void) in late() } }) {
        block in
        try method { block.complete((), $0) }
    }
}

/// `()`: wraps a method whose completion handler has no parameters, and that returns a handle.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:method:)-(_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is canceled with the token, or waits for the call's own result.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
///   - onLate: Runs if the handler is called too late, on the thread that calls it.
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
@inlinable
public func future<Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable () -> Void)? = nil,
    method: (@escaping @Sendable () -> Void) throws -> Handle?
) -> Future<Void> {
    abandonable(cancelToken, response, fileID, line, onLate.map { late in { @Sendable (_: Void) in late() } }) {
        block in
        try method { block.complete(.success(())) }
    }
}

/// `(T)`: wraps a method whose completion handler gets a value, and that returns a handle.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:method:)-(_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is canceled with the token, or waits for the call's own result.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
///   - onLate: Receives a value that arrives too late, on the thread that calls the handler.
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
@_disfavoredOverload @inlinable
public func future<T: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable (T) -> Void)? = nil,
    method: (@escaping @Sendable (T) -> Void) throws -> Handle?
) -> Future<T> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method { block.complete(.success($0)) }
    }
}

/// `(Result)`: wraps a method whose completion handler gets a `Result`, and that returns a handle.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:method:)-(_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is canceled with the token, or waits for the call's own result.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
///   - onLate: Receives a value that arrives too late, on the thread that calls the handler.
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
@inlinable
public func future<T: Sendable, E: Error, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable (T) -> Void)? = nil,
    method: (@escaping @Sendable (Result<T, E>) -> Void) throws -> Handle?
) -> Future<T> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method { block.complete(Try($0)) }
    }
}

/// `(A?, B?, Error?)`: wraps a method that returns a handle, as a future of `(A?, B?)`.
///
/// Its completion handler gets two values and an error, all optional; the values are passed on as they are. Annotated
/// as `Future<(A, B)>`, the future unwraps them.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:method:)-(_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is canceled with the token, or waits for the call's own result.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
///   - onLate: Receives values that arrive too late, on the thread that calls the handler.
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
@inlinable
public func future<A: Sendable, B: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable ((A?, B?)) -> Void)? = nil,
    method: (@escaping @Sendable (A?, B?, (any Error)?) -> Void) throws -> Handle?
) -> Future<(A?, B?)> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method { block.complete(($0, $1), $2) }
    }
}

/// `(A?, B?, Error?)`: wraps a method that returns a handle, as a future of `(A, B)`.
///
/// Its completion handler gets two values and an error, all optional. If one of the values is missing and there is no
/// error, the future fails with `FuturesError.invalidCompletion`. Annotate the result to choose this overload;
/// otherwise the values stay optional.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:method:)-(_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is canceled with the token, or waits for the call's own result.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
///   - onLate: Receives values that arrive too late, on the thread that calls the handler.
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
@_disfavoredOverload @inlinable
public func future<A: Sendable, B: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable ((A, B)) -> Void)? = nil,
    method: (@escaping @Sendable (A?, B?, (any Error)?) -> Void) throws -> Handle?
) -> Future<(A, B)> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method { first, second, error in
            if let first, let second { block.complete((first, second), error) } else { block.complete(nil, error) }
        }
    }
}

/// `(T)`, `(Error)`: wraps a method that has one handler for success and one for failure, and that returns a handle.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:method:)-(_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is canceled with the token, or waits for the call's own result.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
///   - onLate: Receives a value that arrives too late, on the thread that calls the handler.
///   - method: Runs once, before this returns. If it throws, the future fails, unless the handler was called first.
@inlinable
public func future<T: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable (T) -> Void)? = nil,
    method: (@escaping @Sendable (T) -> Void, @escaping @Sendable (any Error) -> Void) throws -> Handle?
) -> Future<T> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method({ block.complete(.success($0)) }, { block.complete(.failure($0)) })
    }
}

/// Any other shape: wraps a method that returns a handle, as a future of all values of its completion handler.
///
/// An optional error of any type, in any position, fails the future unless it is nil. There is no `onLate:`: compilers
/// (Swift 6.3.1) crash at closures for three values there. For the rest see
/// ``future(cancelToken:onCancel:fileID:line:method:)-(_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
@_disfavoredOverload
public func future<First: Sendable, Second: Sendable, each Rest: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line,
    method: (@escaping @Sendable (First, Second, repeat each Rest) -> Void) throws -> Handle?
) -> Future<(First, Second, repeat each Rest)> {
    abandonable(cancelToken, response, fileID, line, nil) { block in
        try method { (first: First, second: Second, rest: repeat each Rest) in
            if let error = firstError(in: first, second, repeat each rest) {
                block.complete(.failure(error))
            } else {
                block.complete(.success((first, second, repeat each rest)))
            }
        }
    }
}
