import Dispatch
public import SimpleFutures

// A future holds the task that will complete it, so that waiters with a higher priority can raise the task's priority.

extension AnyFuture {
    /// Holds the task behind the future, unless the future is already settled.
    @usableFromInline
    final func setProducer(_ task: Task<Void, Never>) { if phase == .pending { setWorker(.task(task)) } }

    /// Like the above, for a task type that could throw, but never does.
    @usableFromInline
    final func setProducer(_ task: Task<Void, any Error>) { if phase == .pending { setWorker(.throwingTask(task)) } }
}

extension AnyFuture {
    /// Like `raise(to:)`, from the runtime's escalation handler.
    ///
    /// Asynchronously, because the tasks' own handlers are user code, and a long chain of tasks that wait for each
    /// other would recurse.
    func raiseFromHandler(to priority: TaskPriority) {
        DispatchQueue.global(qos: .userInteractive).async { self.raise(to: priority) }
    }
}
