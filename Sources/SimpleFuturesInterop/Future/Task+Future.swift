public import SimpleFutures

extension Task {
    /// A future of the task's result, for callers that want callbacks.
    ///
    ///     let upload = Task { try await client.upload(file) }
    ///     upload.future.onComplete { log($0) }
    ///
    /// What the task throws fails the future, `CancellationError` too. Dropping the future does not cancel the task,
    /// nor does a token under which something is registered on the future: for that there is
    /// ``SimpleFutures/CancelToken/link(_:)``.
    ///
    /// To ask is to wait, with the priority of the caller: the task is raised to it. As long as the task runs,
    /// everybody who asks gets the same future.
    public var future: Future<Success> { TaskWatch.future(of: self, priority: Task<Never, Never>.currentPriority) }
}
