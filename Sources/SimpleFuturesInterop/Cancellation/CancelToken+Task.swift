public import SimpleFutures

extension CancelToken {
    /// Links a task to this token: when the token is canceled, so is the task.
    ///
    ///     let upload = Task { try await network.upload(file) }
    ///     token.link(upload)
    ///
    /// If the token is already canceled, the task is canceled before the call returns. The token releases the task when
    /// it ends, so a token can live as long as the program. The task keeps its priority, unless that is lower than
    /// `utility`.
    ///
    /// - Parameter task: The task to cancel. Its result is not affected.
    /// - Returns: A registration that removes the task from the token. You can ignore it.
    @discardableResult
    public func link<Success, Failure>(_ task: Task<Success, Failure>) -> Registration {
        guard self != .none else { return Registration() }
        // Inside a callback of the library, a handler would be deferred until the callback returns.
        guard !isCancelled else {
            task.cancel()
            return Registration()
        }
        // Low priority, because a task is raised to the priority of a task that waits for it. Not the lowest, because
        // some systems delay it for minutes.
        let end = TaskWatch.future(of: task, priority: .utility)
        let link = TaskEndLink(to: end)
        let registration = onCancel {
            task.cancel()
            withExtendedLifetime(link) {}
        }
        link.observe { registration.cancel() }
        return registration
    }

    /// Runs a closure on the caller's actor when the token is canceled.
    ///
    ///     token.onCancel(isolated: { self.spinner.stop() })
    ///
    /// The closure runs later than `cancel()`, also if the token is canceled already. Outside an actor it runs on
    /// `QueueContext.futuresDefault`. For code that need not be on an actor use `onCancel(_:)`, whose handler runs inside
    /// `cancel()`.
    ///
    /// - Parameter handler: Runs at most once. It is released after it has run, or when the token can no longer be
    ///   canceled.
    /// - Returns: A registration that removes the closure, unless the token was canceled before. You can ignore it.
    @_disfavoredOverload @discardableResult
    public func onCancel(
        @_inheritActorContext(always) isolated handler: @escaping @isolated(any) @Sendable () -> Void
    ) -> Registration {
        let context = IsolatedCallback.context(of: handler.isolation)
        let handler = IsolatedCallback.bare(handler, runs: .once)
        return onCancel { context.execute(handler) }
    }

    /// Runs an asynchronous closure that is canceled when this token is.
    ///
    ///     let page = try await token.run { try await network.load(url) }
    ///
    /// The closure runs in its own task, on the caller's actor if it uses that; it is also canceled with the caller's
    /// task. It decides how to respond to a cancellation, and its result is returned. If the token or the task is
    /// canceled before the closure has begun, it does not run.
    ///
    /// - Parameter operation: Runs once, with the caller's priority and task-local values.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error; `CancellationError` if it has not run.
    @inlinable
    public func run<Result: Sendable>(
        @_inheritActorContext @_implicitSelfCapture
        _ operation: sending @escaping @isolated(any) () async throws -> Result
    ) async throws -> Result {
        guard !Task.isCancelled else { throw taskCancellation() }
        let token = child()
        return try await Future(cancelToken: token, operation: operation).value(cancelling: token)
    }

    /// Waits until the token or the task is canceled.
    ///
    ///     spinner.start()
    ///     await token.cancellation
    ///     spinner.stop()
    ///
    /// If one of them is already canceled, it returns at once. Check `isCancelled` to find out which. Afterwards
    /// nothing remains registered. With `CancelToken.none` only the task's cancellation ends the wait.
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
