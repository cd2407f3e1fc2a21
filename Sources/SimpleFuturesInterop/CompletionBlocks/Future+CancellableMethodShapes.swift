public import SimpleFutures

// Less frequent shapes of completion handlers, like those in Future+CancellableMethod.swift.

/// `(A, B, Error?)`: wraps a method whose handler gets two values and an optional error, and that returns a handle.
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
public func future<A: Sendable, B: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable ((A, B)) -> Void)? = nil,
    method: (@escaping @Sendable (A, B, (any Error)?) -> Void) throws -> Handle?
) -> Future<(A, B)> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method { block.complete(($0, $1), $2) }
    }
}

/// `(Error?, T?)`: wraps a method whose completion handler gets the error first, and that returns a handle.
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
    method: (@escaping @Sendable ((any Error)?, T?) -> Void) throws -> Handle?
) -> Future<T> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method { block.complete($1, $0) }
    }
}

/// `(Error?, T)`: wraps a method whose handler gets the error first, then a value, and that returns a handle.
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
    method: (@escaping @Sendable ((any Error)?, T) -> Void) throws -> Handle?
) -> Future<T> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method { block.complete($1, $0) }
    }
}
