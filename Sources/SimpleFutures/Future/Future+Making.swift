extension Future {
    /// Creates a future that is completed by the block handed to a closure.
    ///
    ///     let reply = Future<Reply> { complete in
    ///         connection.send(request) { complete(.success($0)) }
    ///     }
    ///
    /// In main-actor code, mark the inner closure if the method that takes it does not ask for a `@Sendable` one:
    /// `{ @Sendable in complete(.success($0)) }`. Otherwise it is the main actor's, and traps on other threads.
    ///
    /// - Parameters:
    ///   - fileID: Where it is made, for reports.
    ///   - line: Where it is made, for reports.
    ///   - resolver: Called once, before this call returns. It passes the block on to whoever has the result. The first
    ///     call of the block counts, others are reported; if the block is released uncalled, the future is broken. What
    ///     the resolver throws fails the future.
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

/// Evaluates an expression, at once and on the calling thread, into a future that is completed.
///
/// What it throws fails the future.
@preconcurrency @_disfavoredOverload
public func future<T: Sendable>(_ task: @autoclosure () throws -> T) -> Future<T> {
    do { return Future(value: try task()) } catch { return Future(error: error) }
}

/// Runs a closure on a context, into a future of its result.
///
///     let digest = future(context: QueueContext.global) { try hash(file) }
///
/// - Parameters:
///   - context: Where the closure runs. If it drops the closure, the future is broken.
///   - task: Runs once. What it throws fails the future.
@preconcurrency
public func future<T: Sendable>(
    context: any ExecutionContext = QueueContext.futuresDefault, _ task: @escaping @Sendable () throws -> T
) -> Future<T> {
    Future(value: ()).map(context: context) { try task() }
}
