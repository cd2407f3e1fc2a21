public import SimpleFutures

extension CancelToken {
    /// Links a task to this token: when the token is canceled, so is the task.
    ///
    ///     let upload = Task { try await client.upload(file) }
    ///     screen.closed.link(upload)
    ///
    /// If the token is canceled already, so is the task, before the call returns. The token forgets the task when that
    /// ends, so a token may live as long as the program. The task keeps its priority, unless that is lower than
    /// `utility`.
    ///
    /// - Parameter task: What to cancel. Its result is not touched.
    /// - Returns: Takes the task away from the token again. May be ignored.
    @discardableResult
    public func link<Success, Failure>(_ task: Task<Success, Failure>) -> Registration {
        guard self != .none else { return Registration() }
        // Inside a callback of the library a handler would wait until that returns.
        guard !isCancelled else {
            task.cancel()
            return Registration()
        }
        // Of a low priority, since a task gets the priority of the one that waits for it; but not of the lowest one,
        // which some systems put off for minutes.
        let end = TaskWatch.future(of: task, priority: .utility)
        let link = TaskEndLink(to: end)
        let registration = onCancel {
            task.cancel()
            withExtendedLifetime(link) {}
        }
        link.observe { registration.cancel() }
        return registration
    }

    /// Runs an asynchronous closure that is canceled when this token is.
    ///
    ///     let page = try await screen.closed.run { try await client.load(url) }
    ///
    /// The closure runs in a task of its own, on the caller's actor if it uses that; it is also canceled with the
    /// caller's task. The answer is the closure's own, whatever it makes of the cancellation. If the token or the task
    /// is canceled before it has begun it does not run.
    ///
    /// - Parameter operation: Runs once, with the caller's priority and task-local values.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error; `CancellationError` if it has not run.
    public func run<Result: Sendable>(
        @_inheritActorContext @_implicitSelfCapture
        _ operation: sending @escaping @isolated(any) () async throws -> Result
    ) async throws -> Result {
        guard !Task.isCancelled else { throw taskCancellation() }
        let token = child()
        return try await Future(cancelToken: token, operation: operation).value(cancelling: token)
    }

    /// Waits until the token is canceled, or the task.
    ///
    ///     async let page = client.load(url)
    ///     await screen.closed.cancellation
    ///
    /// If one of them is canceled already, it returns at once. `isCancelled` tells which it was.
    /// Nothing of the wait remains registered. Waiting for `CancelToken.none` ends with the task alone.
    public var cancellation: Void {
        get async {
            guard !isCancelled else { return }
            let future = Future<Void>()
            let registration = onCancel { future.trySuccess() }
            await future.settled()
            registration.cancel()
        }
    }
}
