public import Dispatch
public import SimpleFutures

extension QueueContext {
    /// The queue as a task executor: where tasks run that prefer it, as long as they are on no actor.
    ///
    ///     Task(executorPreference: QueueContext.global.taskExecutor) {
    ///         await index(files)
    ///     }
    ///
    /// For `QueueContext.mainImmediate` it is the main queue.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public var taskExecutor: any TaskExecutor { QueueExecutor(queue.queue) }
}

extension DispatchQueue {
    /// The queue as a task executor: where tasks run that prefer it, as long as they are on no actor.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public var taskExecutor: any TaskExecutor { QueueExecutor(self) }
}

/// Runs callbacks on a task executor.
///
///     let future = client.load(url)
///         .map(context: TaskExecutorContext(executor)) { parse($0) }
///
/// They keep their order if the executor runs what it gets in order. They see no task-local values; to carry some along
/// use ``TaskLocalContext``.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct TaskExecutorContext: ExecutionContext, Hashable {
    /// The executor that runs the callbacks.
    public let executor: any TaskExecutor

    /// Creates a context that runs callbacks on a task executor.
    public init(_ executor: any TaskExecutor) { self.executor = executor }

    /// Whether the two lead to the same executor.
    public static func == (first: TaskExecutorContext, second: TaskExecutorContext) -> Bool {
        first.executor === second.executor
    }

    /// Hashes the identity of the executor.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(executor)) }

    /// Runs the task on the executor, later.
    public func execute(_ task: @escaping @Sendable () -> Void) {
        // All of the same priority, lest an executor change their order.
        Task.detached(executorPreference: executor, priority: .medium) { task() }
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
