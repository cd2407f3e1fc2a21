public import SimpleFutures

extension Task {
    /// A future of the task's result, for callers that want callbacks.
    ///
    ///     let upload = Task { try await client.upload(file) }
    ///     upload.future.onComplete { log($0) }
    ///
    /// What the task throws fails the future, `CancellationError` too. Dropping the future does not cancel the task, nor
    /// does a token under which something is registered on the future: for that there is
    /// ``SimpleFutures/CancelToken/cancel(_:)``.
    ///
    /// To ask is to wait, with the priority of the caller: the task is raised to it. Each call makes another future.
    public var future: Future<Success> {
        let future = Future<Success>()
        let waiting = Task<Void, Never> { future.settle(Try(await result)) }
        future.setWorker(ProducerTask(waiting))
        return future
    }
}
