public import SimpleFutures

extension Task {
    /// A future of the task's result, for callers that want callbacks.
    ///
    ///     let upload = Task { try await network.upload(file) }
    ///     upload.future.onComplete { log.add("\($0)") }
    ///
    /// If the task throws, the future fails, with `CancellationError` too. The task is not canceled when the future is
    /// released, or by a token of a registration on the future; use ``SimpleFutures/CancelToken/link(_:)`` for that.
    ///
    /// Reading the property waits for the task: it is raised to the caller's priority. While the task runs, all callers
    /// get the same future; before macOS 26, iOS 26 and so on, only the first of them raises it.
    public var future: Future<Success> { TaskWatch.future(of: self, priority: Task<Never, Never>.currentPriority) }
}
