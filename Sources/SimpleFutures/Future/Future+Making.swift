extension Future {
    /// Creates a future that a closure completes.
    ///
    ///     let count = Future<Int> { complete in
    ///         client.count { complete(.success($0)) }
    ///     }
    ///
    /// In main-actor code, mark the inner closure unless the method that takes it expects a `@Sendable` one: `{
    /// @Sendable in complete(.success($0)) }`. Otherwise the closure is isolated to the main actor and traps on other
    /// threads.
    ///
    /// - Parameters:
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - resolver: Runs once, before this returns. It receives a closure to call with the result. The first call counts;
    ///     others are reported. If that closure is released without a call, the future fails with a broken promise. If the
    ///     resolver throws before the first call, the future fails.
    @preconcurrency @inlinable
    public convenience init(
        fileID: StaticString = #fileID, line: UInt = #line,
        resolver: (@escaping @Sendable (Try<T>) -> Void) throws -> Void
    ) {
        self.init()
        let block = CompletionBlock(of: self, createdAt: CreationSite(fileID: fileID, line: line))
        do { try resolver { block.complete($0) } } catch { block.close(with: error) }
    }
}

/// Returns a completed future of an expression, which is evaluated at once on the calling thread.
///
/// If it throws, the future fails.
///
/// The compiler also chooses this function for `future { client.load($0) }` if no `future(method:)` takes the shape of
/// the completion handler. The closure is then the value, and `load` is never called. Debug builds report
/// ``FuturesDiagnostic/methodNotCalled(type:createdAt:)``.
///
/// - Parameters:
///   - task: Evaluated once, before this returns.
///   - fileID: The file of the call, for diagnostics.
///   - line: The line of the call.
@preconcurrency @_disfavoredOverload
public func future<T: Sendable>(
    _ task: @autoclosure () throws -> T, fileID: StaticString = #fileID, line: UInt = #line
) -> Future<T> {
    FuturesDiagnostics.reportIfMethod(T.self, fileID, line)
    do { return Future(value: try task()) } catch { return Future(error: error) }
}

/// Runs a closure on a context and returns a future of its result.
///
///     let text = future(context: .global) { try String(contentsOf: file, encoding: .utf8) }
///
/// - Parameters:
///   - context: The context that runs the closure: by default the main queue. If it drops the closure, the future fails
///     with a broken promise.
///   - task: Runs once. If it throws, the future fails.
@preconcurrency @inlinable
public func future<T: Sendable>(
    context: any ExecutionContext = QueueContext.futuresDefault, _ task: @escaping @Sendable () throws -> T
) -> Future<T> {
    Future(value: ()).map(context: context) { try task() }
}
