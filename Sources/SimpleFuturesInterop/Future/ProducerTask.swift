import SimpleFutures

/// The task that is going to complete a future, for those who wait for it and have a higher priority.
final class ProducerTask: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    /// Raises the priority of the task, unless it is as high.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func escalate(to priority: TaskPriority) { task.escalatePriority(to: priority) }
}

extension AnyFuture {
    /// The task behind the future, if there is one.
    var producerTask: ProducerTask? { worker as? ProducerTask }
}
