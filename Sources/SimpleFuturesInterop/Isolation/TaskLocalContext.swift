public import SimpleFutures

/// Runs callbacks with the task-local values of the code that has made it.
///
///     let context = TaskLocalContext(QueueContext.main, carrying: Trace.$id, Trace.$user)
///     client.profile().onSuccess(context: context) { log("loaded", Trace.id) }
///
/// Without it, callbacks on a Dispatch queue, an actor or an executor see no task-local values. On `ImmediateContext`
/// they see those of the thread that runs them, which is usually the one that completes the future. The combinators with
/// asynchronous closures, `asyncMap` and its like, need no such context: their task is made by the caller, and has all of
/// its values.
public struct TaskLocalContext: ExecutionContext, Hashable {
    private let context: any ExecutionContext
    private let values: Values

    /// Creates a context from another one and the values that some task-local variables have now.
    ///
    /// - Parameters:
    ///   - context: Where callbacks run.
    ///   - locals: The variables: the projected value of a `@TaskLocal`, `$id` for `id`.
    public init<each Value: Sendable>(
        _ context: any ExecutionContext = QueueContext.futuresDefault, carrying locals: repeat TaskLocal<each Value>
    ) {
        self.context = context
        var run: @Sendable (@Sendable () -> Void) -> Void = { $0() }
        for local in repeat each locals { run = Self.binding(local, around: run) }
        values = Values(run: run)
    }

    /// The time of the context that it was made from.
    public var now: Duration { context.now }

    /// Whether one is a copy of the other.
    ///
    /// Contexts that were created separately differ, as the values that they captured may.
    public static func == (first: TaskLocalContext, second: TaskLocalContext) -> Bool { first.values === second.values }

    /// Hashes the identity of the captured values.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(values)) }

    /// Runs the task where the context does that it was made from.
    public func execute(_ task: @escaping @Sendable () -> Void) {
        context.execute { [values] in values.run(task) }
    }

    /// Runs the task where the context does that it was made from, when a time has passed on that.
    ///
    /// - Parameters:
    ///   - delay: How long that context waits. Zero or less means as soon as possible.
    ///   - task: What to run.
    /// - Returns: Calls the task off and frees the timer at once.
    @discardableResult
    public func execute(after delay: Duration, _ task: @escaping @Sendable () -> Void) -> Registration {
        context.execute(after: delay) { [values] in values.run(task) }
    }

    private static func binding<Value: Sendable>(
        _ local: TaskLocal<Value>, around run: @escaping @Sendable (@Sendable () -> Void) -> Void
    ) -> @Sendable (@Sendable () -> Void) -> Void {
        let value = local.get()
        return { task in local.withValue(value) { run(task) } }
    }

    /// An object, so that copies of a context can be told from others.
    private final class Values: Sendable {
        let run: @Sendable (@Sendable () -> Void) -> Void

        init(run: @escaping @Sendable (@Sendable () -> Void) -> Void) { self.run = run }
    }
}
