// One function for each shape of closure that is called repeatedly. They have in common:
//
// - The method is called once, before `futureStream(method:)` returns. If it throws, the error is an element.
// - The closure may be called on any thread, before or after the method returns. Each call is an element, and the
//   stream finishes when the closure is released. If the API keeps the closure after its last call and reports the end
//   in another way, use a `StreamPromise`.
// - Error and value: the error wins.

/// `(T?, Error?)`: wraps a method that calls its closure repeatedly, with a value or an error, both optional.
///
///     // func observe(_ update: @escaping (Position?, (any Error)?) -> Void)
///     let positions: FutureStream<Position> = futureStream(capacity: 10, method: observe)
///
/// A method with more arguments is passed as a closure: `futureStream(method: { client.watch(id: 4, update: $0) })`.
///
/// Each call of the closure is an element; it may come from any thread. An error wins over the value; a call with
/// neither is the failure ``FuturesError/invalidCompletion``. When the closure is released, the stream finishes. Without
/// an annotation the result is a `FutureStream<Position?>`, as in SimpleFutures 0.2, and a call with neither is nil.
///
/// Nothing here stops the source. To stop it when its last subscriber has left, use `FutureStream(capacity:source:)` of
/// SimpleFuturesInterop.
///
/// In main-actor code, pass the closure itself to a method whose own closure is not `@Sendable`, as above. A closure
/// around it would be isolated to the main actor and trap on other threads; if you need one, mark it: `{ @Sendable in
/// update($0, $1) }`.
///
/// - Parameters:
///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
///     stream may go on without end, pass a limit. It must not be negative.
///   - method: Runs once, before this returns. If it throws, the error is an element.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@_disfavoredOverload @inlinable
public func futureStream<T: Sendable>(
    capacity: Int = Int.max,
    method: (@escaping @Sendable (T?, (any Error)?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> FutureStream<T> {
    wrap(capacity, fileID, line) { block in try method { block.emit($0, $1) } }
}

/// `(T, Error?)`: wraps a method that calls its closure repeatedly, with a value and an optional error.
///
/// Each call of the closure is an element; it may come from any thread. An error wins over the value. When the closure is
/// released, the stream finishes.
///
/// - Parameters:
///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
///     stream may go on without end, pass a limit. It must not be negative.
///   - method: Runs once, before this returns. If it throws, the error is an element.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@preconcurrency @inlinable
public func futureStream<T: Sendable>(
    capacity: Int = Int.max,
    method: (@escaping @Sendable (T, (any Error)?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> FutureStream<T> {
    wrap(capacity, fileID, line) { block in try method { block.emit($0, $1) } }
}

/// `(Error?)`: wraps a method that calls its closure repeatedly, with an optional error and nothing else.
///
/// Each call of the closure is an element; it may come from any thread. When the closure is released, the stream finishes.
/// An error of one type, `(E?)`, becomes a value, unless you annotate the result as `FutureStream<Void>`.
///
/// - Parameters:
///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
///     stream may go on without end, pass a limit. It must not be negative.
///   - method: Runs once, before this returns. If it throws, the error is an element.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@preconcurrency @inlinable
public func futureStream(
    capacity: Int = Int.max,
    method: (@escaping @Sendable ((any Error)?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> FutureStream<Void> {
    wrap(capacity, fileID, line) { block in try method { block.emit((), $0) } }
}

/// `(T)`: wraps a method that calls its closure repeatedly, with a value.
///
///     let clicks = futureStream(capacity: 0, method: button.onClick)
///
/// Each call of the closure is an element; it may come from any thread. When the closure is released, the stream finishes.
///
/// - Parameters:
///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
///     stream may go on without end, pass a limit. It must not be negative.
///   - method: Runs once, before this returns. If it throws, the error is an element.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@preconcurrency @inlinable
public func futureStream<T: Sendable>(
    capacity: Int = Int.max,
    method: (@escaping @Sendable (T) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> FutureStream<T> {
    wrap(capacity, fileID, line) { block in try method { block.emit(.success($0)) } }
}

/// `()`: wraps a method that calls its closure repeatedly without arguments, to report that an event has happened.
///
/// Each call of the closure is an element; it may come from any thread. When the closure is released, the stream finishes.
///
/// - Parameters:
///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
///     stream may go on without end, pass a limit. It must not be negative.
///   - method: Runs once, before this returns. If it throws, the error is an element.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
public func futureStream(
    capacity: Int = Int.max,
    method: (@escaping @Sendable () -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> FutureStream<Void> {
    wrap(capacity, fileID, line) { block in try method { block.emit(.success(())) } }
}

/// `(Result)`: wraps a method that calls its closure repeatedly, with a `Result`.
///
/// Each call of the closure is an element; it may come from any thread. When the closure is released, the stream finishes.
///
/// - Parameters:
///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
///     stream may go on without end, pass a limit. It must not be negative.
///   - method: Runs once, before this returns. If it throws, the error is an element.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
public func futureStream<T: Sendable, E: Error>(
    capacity: Int = Int.max,
    method: (@escaping @Sendable (Result<T, E>) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> FutureStream<T> {
    wrap(capacity, fileID, line) { block in try method { block.emit(Try($0)) } }
}

/// `(A?, B?, Error?)`: wraps a method that calls its closure repeatedly, as a stream of `(A?, B?)`.
///
/// The closure gets two values and an error, all optional; the values are passed on as they are. Each call of the
/// closure is an element; it may come from any thread. An error wins over the values. When the closure is released, the
/// stream finishes. Annotated as `FutureStream<(A, B)>`, the stream unwraps the values.
///
/// - Parameters:
///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
///     stream may go on without end, pass a limit. It must not be negative.
///   - method: Runs once, before this returns. If it throws, the error is an element.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
public func futureStream<A: Sendable, B: Sendable>(
    capacity: Int = Int.max,
    method: (@escaping @Sendable (A?, B?, (any Error)?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> FutureStream<(A?, B?)> {
    wrap(capacity, fileID, line) { block in try method { block.emit(($0, $1), $2) } }
}

/// `(A?, B?, Error?)`: wraps a method that calls its closure repeatedly, as a stream of `(A, B)`.
///
/// The closure gets two values and an error, all optional. Each call of the closure is an element; it may come from any
/// thread. A call without an error in which one of the values is missing is the failure
/// ``FuturesError/invalidCompletion``. When the closure is released, the stream finishes. Annotate the result to choose
/// this overload; otherwise the values stay optional.
///
/// - Parameters:
///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
///     stream may go on without end, pass a limit. It must not be negative.
///   - method: Runs once, before this returns. If it throws, the error is an element.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@_disfavoredOverload @inlinable
public func futureStream<A: Sendable, B: Sendable>(
    capacity: Int = Int.max,
    method: (@escaping @Sendable (A?, B?, (any Error)?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> FutureStream<(A, B)> {
    wrap(capacity, fileID, line) { block in
        try method { first, second, error in
            if let first, let second { block.emit((first, second), error) } else { block.emit(nil, error) }
        }
    }
}

/// `(T)`, `(Error)`: wraps a method that calls one closure for each value and another for each error.
///
/// Each call of either closure is an element; it may come from any thread. When both closures are released, the stream
/// finishes.
///
/// - Parameters:
///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
///     stream may go on without end, pass a limit. It must not be negative.
///   - method: Runs once, before this returns. If it throws, the error is an element.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@inlinable
public func futureStream<T: Sendable>(
    capacity: Int = Int.max,
    method: (@escaping @Sendable (T) -> Void, @escaping @Sendable (any Error) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> FutureStream<T> {
    wrap(capacity, fileID, line) { block in try method({ block.emit(.success($0)) }, { block.emit(.failure($0)) }) }
}

/// `(T)`, `(Error?)`: wraps a method that calls one closure with each value, and another one at the end.
///
///     // func read(_ chunk: @escaping (Data) -> Void, completion: @escaping ((any Error)?) -> Void)
///     let chunks = futureStream(method: { read($0, completion: $1) })
///
/// Each call of the first closure is an element; it may come from any thread. A call of the second one, with an error or
/// without, finishes the stream; an error is the last element. When both closures are released, the stream finishes too.
///
/// - Parameters:
///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
///     stream may go on without end, pass a limit. It must not be negative.
///   - method: Runs once, before this returns. If it throws, the error is an element.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@_disfavoredOverload @inlinable
public func futureStream<T: Sendable>(
    capacity: Int = Int.max,
    method: (@escaping @Sendable (T) -> Void, @escaping @Sendable ((any Error)?) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> FutureStream<T> {
    wrap(capacity, fileID, line) { block in
        try method({ block.emit(.success($0)) }, { block.finish($0) })
    }
}

/// Any other shape: wraps a method that calls its closure repeatedly with several values, as a stream of all of them.
///
///     // func download(_ url: URL, progress: @escaping (_ received: Int64, _ expected: Int64) -> Void)
///     futureStream(capacity: 1) { client.download(url, progress: $0) }
///         .onSuccess { received, expected in … }
///
/// An optional error of any type, in any position, is a failure unless it is nil. Each call of the closure is an element;
/// it may come from any thread. When the closure is released, the stream finishes.
///
/// - Parameters:
///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
///     stream may go on without end, pass a limit. It must not be negative.
///   - method: Runs once, before this returns. If it throws, the error is an element.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@_disfavoredOverload
public func futureStream<First: Sendable, Second: Sendable, each Rest: Sendable>(
    capacity: Int = Int.max,
    method: (@escaping @Sendable (First, Second, repeat each Rest) -> Void) throws -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
) -> FutureStream<(First, Second, repeat each Rest)> {
    wrap(capacity, fileID, line) { block in
        try method { (first: First, second: Second, rest: repeat each Rest) in
            if let error = firstError(in: first, second, repeat each rest) {
                block.emit(.failure(error))
            } else {
                block.emit(.success((first, second, repeat each rest)))
            }
        }
    }
}

@inlinable
func wrap<T: Sendable>(
    _ capacity: Int, _ fileID: StaticString, _ line: UInt, _ method: (StreamBlock<T>) throws -> Void
) -> FutureStream<T> {
    let stream = FutureStream<T>(
        producedWith: capacity, fileID: fileID, line: line)
    let block = StreamBlock(of: stream)
    do { try method(block) } catch { block.emit(.failure(error)) }
    return stream
}
