extension FutureStream {
    /// Creates a stream that a closure emits into.
    ///
    ///     let messages = FutureStream<Message>(capacity: 0) { emit in
    ///         connection.onMessage { emit(.success($0)) }
    ///     }
    ///
    /// In main-actor code, mark the inner closure unless the method that takes it expects a `@Sendable` one: `{
    /// @Sendable in emit(.success($0)) }`. Otherwise the closure is isolated to the main actor and traps on other
    /// threads.
    ///
    /// - Parameters:
    ///   - capacity: How many of the newest elements are kept for later subscribers: by default all of them. If the
    ///     stream may go on without end, pass a limit. It must not be negative.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - resolver: Called once, before this call returns. It passes the closure on to the source of the elements.
    ///     Each call of the closure is an element; when the closure is released, the stream finishes. If the resolver
    ///     throws, the error is an element.
    @preconcurrency
    public convenience init(
        capacity: Int = Int.max, fileID: StaticString = #fileID, line: UInt = #line,
        resolver: (@escaping @Sendable (Try<T>) -> Void) throws -> Void
    ) {
        self.init(producedWith: capacity, fileID: fileID, line: line)
        let block = StreamBlock(of: self)
        do { try resolver { block.emit($0) } } catch { block.emit(.failure(error)) }
    }
}

/// Returns a finished stream of one element: the value of an expression, evaluated at once on the calling thread.
///
/// If it throws, the error is the element. A closure that no `futureStream(method:)` takes is itself the element and is
/// never called. Debug builds report ``FuturesDiagnostic/methodNotCalled(type:createdAt:)``.
///
/// - Parameters:
///   - task: Evaluated once, before this returns.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@_disfavoredOverload
public func futureStream<T: Sendable>(
    _ task: @autoclosure () throws -> T, fileID: StaticString = #fileID, line: UInt = #line
) -> FutureStream<T> {
    FuturesDiagnostics.reportIfMethod(T.self, fileID, line)
    let stream = FutureStream<T>(producedWith: Int.max)
    stream.core.pass { try task() }
    stream.finish()
    return stream
}

/// Runs a closure on a context, and returns a stream of its result, which then finishes.
///
/// - Parameters:
///   - context: The context that runs the closure. If it drops the closure, the element is
///     ``FuturesError/brokenPromise(createdAt:)``.
///   - task: Runs once. If it throws, the error is the element.
@preconcurrency
public func futureStream<T: Sendable>(
    context: any ExecutionContext = QueueContext.futuresDefault, _ task: @escaping @Sendable () throws -> T
) -> FutureStream<T> {
    let stream = FutureStream<T>(producedWith: Int.max)
    future(context: context, task).lead(to: stream.core, under: .none)
    return stream
}
