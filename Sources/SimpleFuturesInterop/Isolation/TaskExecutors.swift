public import Dispatch
public import SimpleFutures

extension QueueContext {
    /// The queue as a task executor, on which tasks that prefer it run while they are on no actor.
    ///
    ///     let page = Task(executorPreference: QueueContext.global.taskExecutor) {
    ///         try await network.load(url)
    ///     }
    ///
    /// For `QueueContext.mainImmediate` it uses the main queue.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public var taskExecutor: any TaskExecutor { QueueExecutor(queue.queue) }
}

extension DispatchQueue {
    /// The queue as a task executor, on which tasks that prefer it run while they are on no actor.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public var taskExecutor: any TaskExecutor { QueueExecutor(self) }
}

/// Runs callbacks on a task executor.
///
///     let image = data
///         .map(context: TaskExecutorContext(executor)) { try decode($0) }
///
/// Callbacks keep their order if the executor runs its jobs in order. For the executor of a queue it uses the queue, so
/// that such callbacks keep their order with all others on that queue. They have no task-local values; to pass some along
/// use ``TaskLocalContext``.
///
/// An executor must return from `enqueue` before it runs the job, as for any task. Otherwise a continuation runs inside
/// the code that resumes it, where the runtime does not expect it, and long chains fill the stack.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct TaskExecutorContext: ExecutionContext, Hashable {
    /// The executor that runs the callbacks.
    public let executor: any TaskExecutor

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public var _route: _Route { (executor as? QueueExecutor)?.queue._route ?? .custom(self) }

    /// Creates a context that runs callbacks on a task executor.
    public init(_ executor: any TaskExecutor) { self.executor = executor }

    /// Whether both use the same executor.
    public static func == (first: TaskExecutorContext, second: TaskExecutorContext) -> Bool {
        first.executor === second.executor
    }

    /// Hashes the identity of the executor.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(executor)) }

    /// Runs the task on the executor, later.
    public func execute(_ task: @escaping @Sendable () -> Void) {
        // All with the same priority, so that an executor does not change their order.
        Task.detached(executorPreference: executor, priority: .medium) { task() }
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class QueueExecutor: TaskExecutor {
    let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
