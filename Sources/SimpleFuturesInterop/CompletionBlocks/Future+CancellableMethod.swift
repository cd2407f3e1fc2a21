public import SimpleFutures

// One function for each shape of completion block, as there is one `future(method:)` for each. They have in common:
//
// - The token cancels the future at once, then the handle, exactly once; unless the future was completed before.
// - A value that comes after that, or that nobody takes, goes to `onLate`.

/// `(T?, Error?)`: wraps a method whose completion block gets a value or an error, and that returns a handle.
///
/// The handle is to cancel the call.
///
///     let page: Future<Page> = future(cancelToken: closed) {
///         client.load(url, completion: $0)
///     }
///
/// When the token is cancelled, so is the handle, exactly once, also if the method has not yet returned it; and before
/// that, at once, the future, unless it is to wait for the call's own answer. If the token is cancelled already, the
/// method is not called, and the future is cancelled; or fails with `CancellationError`, if it is to wait. When the
/// future is completed, handle and token know nothing of each other any more.
///
/// Apart from that it is `future(method:)`: the first call of the block counts, from any thread; with neither value nor
/// error the future fails with `FuturesError.invalidCompletion`; if the block is released uncalled, with
/// `FuturesError.brokenPromise(createdAt:)`. A method without annotation gives a `Future<Page?>`.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is cancelled with the token, or is completed with what the call answers then: right
///     for calls that must have ended before something else begins.
///   - fileID: Where it is called, for reports.
///   - line: Where it is called, for reports.
///   - onLate: Gets a value that nobody takes, to close or delete it: a connection, a temporary file. It comes when the
///     future has been cancelled, or was released and nobody waits for it. `onLate` runs where the block is called.
///     Without it such a value is dropped, as are late errors.
///   - method: Called once, at once. What it throws fails the future.
@_disfavoredOverload
public func future<T: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable (T) -> Void)? = nil,
    method: (@escaping @Sendable (T?, (any Error)?) -> Void) throws -> Handle?
) -> Future<T> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method { block.complete($0, $1) }
    }
}

/// `(T, Error?)`: wraps a method whose completion block gets a value and an optional error, and that returns a handle.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:onLate:method:)-(_,_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is cancelled with the token, or is completed with what the call answers then.
///   - fileID: Where it is called, for reports.
///   - line: Where it is called, for reports.
///   - onLate: Gets a value that nobody takes, where the block is called.
///   - method: Called once, at once. What it throws fails the future.
public func future<T: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable (T) -> Void)? = nil,
    method: (@escaping @Sendable (T, (any Error)?) -> Void) throws -> Handle?
) -> Future<T> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method { block.complete($0, $1) }
    }
}

/// `(Error?)`: wraps a method whose completion block gets an optional error alone, and that returns a handle.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:onLate:method:)-(_,_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is cancelled with the token, or is completed with what the call answers then.
///   - fileID: Where it is called, for reports.
///   - line: Where it is called, for reports.
///   - onLate: Runs if a success comes that nobody takes, where the block is called.
///   - method: Called once, at once. What it throws fails the future.
public func future<Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable () -> Void)? = nil,
    method: (@escaping @Sendable ((any Error)?) -> Void) throws -> Handle?
) -> Future<Void> {
    abandonable(cancelToken, response, fileID, line, onLate.map { late in { @Sendable (_: Void) in late() } }) {
        block in
        try method { block.complete((), $0) }
    }
}

/// `(T)`: wraps a method whose completion block gets a value, and that returns a handle.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:onLate:method:)-(_,_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is cancelled with the token, or is completed with what the call answers then.
///   - fileID: Where it is called, for reports.
///   - line: Where it is called, for reports.
///   - onLate: Gets a value that nobody takes, where the block is called.
///   - method: Called once, at once. What it throws fails the future.
@_disfavoredOverload
public func future<T: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable (T) -> Void)? = nil,
    method: (@escaping @Sendable (T) -> Void) throws -> Handle?
) -> Future<T> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method { block.complete(.success($0)) }
    }
}

/// `(Result)`: wraps a method whose completion block gets a `Result`, and that returns a handle.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:onLate:method:)-(_,_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is cancelled with the token, or is completed with what the call answers then.
///   - fileID: Where it is called, for reports.
///   - line: Where it is called, for reports.
///   - onLate: Gets a value that nobody takes, where the block is called.
///   - method: Called once, at once. What it throws fails the future.
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
/// Its completion block gets two values and an error, all optional; the values are taken as they come. Annotated as
/// `Future<(A, B)>` it unwraps them.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:onLate:method:)-(_,_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is cancelled with the token, or is completed with what the call answers then.
///   - fileID: Where it is called, for reports.
///   - line: Where it is called, for reports.
///   - onLate: Gets values that nobody takes, where the block is called.
///   - method: Called once, at once. What it throws fails the future.
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
/// Its completion block gets two values and an error, all optional. If one of the values is missing and there is no
/// error, the future fails with `FuturesError.invalidCompletion`. It must be annotated; otherwise the values are taken
/// as they come.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:onLate:method:)-(_,_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is cancelled with the token, or is completed with what the call answers then.
///   - fileID: Where it is called, for reports.
///   - line: Where it is called, for reports.
///   - onLate: Gets values that nobody takes, where the block is called.
///   - method: Called once, at once. What it throws fails the future.
@_disfavoredOverload
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

/// `(T)`, `(Error)`: wraps a method that has one block for success, one for failure, and that returns a handle.
///
/// For the rest see
/// ``future(cancelToken:onCancel:fileID:line:onLate:method:)-(_,_,_,_,_,((T?,(Error)?)->Void)->Handle?)``.
///
/// - Parameters:
///   - cancelToken: Cancels the call.
///   - response: Whether the future is cancelled with the token, or is completed with what the call answers then.
///   - fileID: Where it is called, for reports.
///   - line: Where it is called, for reports.
///   - onLate: Gets a value that nobody takes, where the block is called.
///   - method: Called once, at once. What it throws fails the future.
public func future<T: Sendable, Handle: CancellableHandle>(
    cancelToken: CancelToken, onCancel response: TaskCancellationResponse = .abandon,
    fileID: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable (T) -> Void)? = nil,
    method: (@escaping @Sendable (T) -> Void, @escaping @Sendable (any Error) -> Void) throws -> Handle?
) -> Future<T> {
    abandonable(cancelToken, response, fileID, line, onLate) { block in
        try method({ block.complete(.success($0)) }, { block.complete(.failure($0)) })
    }
}

private func abandonable<T: Sendable, Handle: CancellableHandle>(
    _ token: CancelToken, _ response: TaskCancellationResponse, _ fileID: StaticString, _ line: UInt,
    _ late: (@Sendable (T) -> Void)?, _ method: (CompletionBlock<T>) throws -> Handle?
) -> Future<T> {
    guard !token.isCancelled else {
        // Who waits for the call's own answer gets one, as of a task that is cancelled before it has begun.
        guard response == .abandon else { return Future(error: CancellationError()) }
        let future = Future<T>()
        future.cancelAsTarget()
        return future
    }
    let call = CancellableCall<T>(under: token, response, onLate: late)
    call.start(createdAt: CreationSite(fileID: fileID, line: line), method)
    return call.future
}
