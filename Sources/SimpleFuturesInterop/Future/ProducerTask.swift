import Dispatch
public import SimpleFutures

/// The task that is going to complete a future, for those who wait for it and have a higher priority.
final class ProducerTask: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    /// Raises the priority of the task, unless it is as high.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func escalate(to priority: TaskPriority) { task.escalatePriority(to: priority) }

    /// The same from inside the runtime's escalation handler: later, as the handlers of the task itself are user code, and a long
    /// chain of tasks that wait for each other would need as much stack.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func escalateFromHandler(to priority: TaskPriority) {
        DispatchQueue.global(qos: .userInteractive).async { self.escalate(to: priority) }
    }
}

extension AnyFuture {
    /// The task behind the future, if there is one.
    var producerTask: ProducerTask? { worker as? ProducerTask }

    /// Keeps the task behind the future, unless it has come to its end already.
    @usableFromInline
    final func setProducer(_ task: Task<Void, Never>) { if phase == .pending { setWorker(ProducerTask(task)) } }
}
