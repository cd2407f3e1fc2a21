public import SimpleFutures

extension Future {
    /// Creates a future of an asynchronous closure's result, for callers that want callbacks.
    ///
    ///     func profile(_ id: Int) -> Future<Profile> {
    ///         Future { try await network.profile(id) }
    ///     }
    ///
    /// A task runs the closure. As with `Task.init`, the closure is isolated to the caller's actor if it uses that, and
    /// the task inherits the caller's priority and task-local values. Releasing the future does not cancel the task.
    ///
    /// If the closure throws `CancellationError`, the future fails with it, like with any other error: it does not
    /// become a canceled future. So every waiter gets a result.
    ///
    /// If a task with a higher priority awaits this future, or one derived from it, the closure's task is raised to
    /// that priority where the system supports it (macOS 26, iOS 26, Linux).
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers, and the future's in `FuturesDiagnostics.pending`.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Cancels the task. The future is completed with the closure's result. If the closure has not
    ///     begun, it does not run, and the future fails with `CancellationError`.
    ///   - operation: Runs once.
    @inlinable
    public convenience init(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> T
    ) {
        self.init()
        if let name { named(name) }
        let operation = Operation(run: operation)
        if cancelToken == .none, operation.isolation == nil {
            // This task is never canceled. Declaring it as throwing avoids a conversion.
            setProducer(
                Task(name: name, priority: priority) { () async throws in await self.complete(with: operation) })
        } else {
            run(name: name, priority: priority, under: cancelToken, operation)
        }
    }

    // Without this overload, a closure without `await` would become the value of a future of closures, because the label
    // of a trailing closure is ignored.

    /// Creates a future of the result of a synchronous closure, which a task runs.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers, and the future's in `FuturesDiagnostics.pending`.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Cancels the task. If the closure has not begun, it does not run, and the future fails with
    ///     `CancellationError`.
    ///   - operation: Runs once, in a task. Unlike with a closure that awaits, its captures must be `Sendable`.
    @inlinable
    public convenience init(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture operation: @escaping @isolated(any) @Sendable () throws -> T
    ) {
        self.init()
        if let name { named(name) }
        run(name: name, priority: priority, under: cancelToken, Operation(run: operation))
    }

    /// Starts a task that completes this future.
    ///
    /// If the task is canceled before it has begun, the closure does not run, unless `mustRun` is set.
    @inlinable @inline(never) @discardableResult
    func run(
        name: String?, priority: TaskPriority?, under token: CancelToken, _ operation: Operation<T>,
        mustRun: Bool = false
    ) -> Task<Void, Never> {
        let link = TaskLink.link(under: token)
        // A task without an actor need not begin on one.
        let task =
            operation.isolation == nil
            ? Task(name: name, priority: priority) { await self.complete(with: operation, link, mustRun: mustRun) }
            : startTask(on: operation.isolation, name: name, priority: priority) { _ in
                await self.complete(with: operation, link, mustRun: mustRun)
            }
        link?.run(task)
        setProducer(task)
        return task
    }

    /// Runs the closure inside a task that may be canceled.
    @inlinable @inline(never)
    func complete(with operation: Operation<T>, _ link: TaskLink?, mustRun: Bool) async {
        if !mustRun, Task.isCancelled || link?.isCancelled == true {
            link?.end()
            settle(.failure(taskCancellation()))
        } else {
            await complete(with: operation, link)
        }
    }

    /// Runs the closure inside the task.
    @inlinable @inline(__always)
    func complete(with operation: Operation<T>, _ link: TaskLink? = nil) async {
        let result: Try<T>
        do { result = .success(try await operation.run()) } catch { result = .failure(original(error)) }
        link?.end()
        settle(result)
    }
}

extension Promise {
    /// Completes the future with an asynchronous closure's result, unless it is completed earlier.
    ///
    /// A task runs the closure, as with `Future(name:priority:cancelToken:operation:)`. The task counts as a producer:
    /// you can release the promise.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers, and the future's in `FuturesDiagnostics.pending`.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Cancels the task. The future is completed with the closure's result. If the closure has not
    ///     begun, it does not run, and the future fails with `CancellationError`.
    ///   - operation: Runs once, even if the future is completed already.
    /// - Returns: The task. You can cancel it like with the token.
    @inlinable @discardableResult
    public func completeWith(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> T
    ) -> Task<Void, Never> {
        // The task always settles the future, so the producer need not be removed.
        _ = future.gainProducer()
        return future.run(name: name, priority: priority, under: cancelToken, Operation(run: operation))
    }
}
