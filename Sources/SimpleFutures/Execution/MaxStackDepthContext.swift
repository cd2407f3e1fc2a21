/// Runs tasks at once up to a nesting depth; deeper tasks run on the global queue.
///
/// SimpleFutures 0.2 used it to keep immediate chains from overflowing the stack. Chains of futures no longer need it,
/// because callbacks on ``ImmediateContext`` never run inside each other. Use it for tasks that you pass to the context
/// yourself.
public struct MaxStackDepthContext: ExecutionContext, Hashable {
    private let maxDepth: Int

    /// Creates a context with a limit.
    ///
    /// - Parameters:
    ///   - maxDepth: How many tasks of such contexts may be nested on one thread. It must be positive.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public init(maxDepth: Int = 20, fileID: StaticString = #fileID, line: UInt = #line) {
        require(
            maxDepth > 0,
            """
            `MaxStackDepthContext(maxDepth:)` was given \(maxDepth); it must be at least 1. Pass 1 to run no task inside \
            another, or use `QueueContext.global` to run no task at once.
            """, fileID, line)
        self.maxDepth = maxDepth
    }

    /// Runs the task before this returns, or later on the global queue.
    @preconcurrency
    public func execute(_ task: @escaping @Sendable () -> Void) {
        let thread = ThreadState.current
        guard thread.pointee.depth < maxDepth else { return QueueContext.global.execute(task) }
        thread.pointee.depth += 1
        task()
        thread.pointee.depth -= 1
    }
}
