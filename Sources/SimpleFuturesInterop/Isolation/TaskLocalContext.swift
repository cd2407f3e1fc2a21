public import SimpleFutures

/// Runs callbacks with the task-local values of the code that created the context.
///
///     let context = TaskLocalContext(QueueContext.main, carrying: Trace.$id, Trace.$user)
///     client.profile().onSuccess(context: context) { log.add("loaded \($0.name) for \(Trace.id)") }
///
/// Use one context, or copies of it, for the callbacks of a stream whose order matters: two that are created separately
/// are different contexts, even if they capture the same values.
///
/// Without it, callbacks on a Dispatch queue, an actor or an executor have no task-local values. On `ImmediateContext`
/// they have those of the thread that runs them, usually the thread that completes the future. Combinators with
/// asynchronous closures, such as `asyncMap`, need no such context: the caller creates their task, which inherits its
/// values.
public struct TaskLocalContext: ExecutionContext, Hashable {
    private let context: any ExecutionContext
    private let values: Values

    /// Creates a context that captures the current values of task-local variables.
    ///
    /// - Parameters:
    ///   - context: The context that runs the callbacks.
    ///   - locals: The variables: the projected value of a `@TaskLocal`, `$id` for `id`.
    public init<each Value: Sendable>(
        _ context: any ExecutionContext = QueueContext.futuresDefault, carrying locals: repeat TaskLocal<each Value>
    ) {
        self.context = context
        var run: @Sendable (@Sendable () -> Void) -> Void = { $0() }
        for local in repeat each locals { run = Self.binding(local, around: run) }
        values = Values(run: run)
    }

    private init(_ context: any ExecutionContext, _ values: Values) {
        self.context = context
        self.values = values
    }

    // A pending wait must not keep a `ManualContext` alive, wrapped or not.
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var _route: _Route { .custom(TaskLocalContext(context.forWaiting, values)) }

    /// The current time of the wrapped context.
    public var now: Duration { context.now }

    /// Whether both are copies of one context.
    ///
    /// Contexts that were created separately differ, because their captured values may.
    public static func == (first: TaskLocalContext, second: TaskLocalContext) -> Bool { first.values === second.values }

    /// Hashes the identity of the captured values.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(values)) }

    /// Runs the task on the wrapped context.
    public func execute(_ task: @escaping @Sendable () -> Void) {
        context.execute { [values] in values.run(task) }
    }

    /// Runs the task on the wrapped context after a delay.
    ///
    /// - Parameters:
    ///   - delay: How long that context waits. Zero or less means as soon as possible.
    ///   - task: The task to run.
    /// - Returns: A registration that cancels the task and frees the timer at once.
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

    /// A class, so that copies of a context can be recognized.
    private final class Values: Sendable {
        let run: @Sendable (@Sendable () -> Void) -> Void

        init(run: @escaping @Sendable (@Sendable () -> Void) -> Void) { self.run = run }
    }
}
