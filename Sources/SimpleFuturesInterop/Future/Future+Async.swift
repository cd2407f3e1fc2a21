public import SimpleFutures

extension Future {
    /// Creates a future of what an asynchronous closure returns or throws: for callers that want callbacks.
    ///
    ///     func profile() -> Future<Profile> {
    ///         Future { try await client.profile() }
    ///     }
    ///
    /// A task runs the closure. As with `Task.init` the closure belongs to the caller's actor, if it uses that, and the
    /// task takes over the caller's priority and task-local values. Dropping the future does not cancel the task.
    ///
    /// A closure that throws `CancellationError` fails the future with it: that is an outcome like others, and not the
    /// cancellation of a derived future. So whoever waits gets an answer.
    ///
    /// If a task awaits this future, or one derived from it, and its priority is higher, the closure's task is raised to
    /// it, where the system can do so (macOS 26, iOS 26, Linux).
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers, and the future's in `FuturesDiagnostics.pending`.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Cancels the task. The future is completed with whatever the closure then returns or throws. If
    ///     it has not begun yet it does not run, and the future fails with `CancellationError`.
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
            // Nobody can cancel the task. That it may throw spares it a conversion.
            setProducer(
                Task(name: name, priority: priority) { () async throws in await self.complete(with: operation) })
        } else {
            run(name: name, priority: priority, under: cancelToken, operation)
        }
    }

    // Without it a closure without `await` would be taken for the value of a future of closures, since the label of a
    // trailing closure does not count.

    /// Creates a future of what a closure returns or throws that awaits nothing, and that a task runs nevertheless.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers, and the future's in `FuturesDiagnostics.pending`.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Cancels the task. If it has not begun yet the closure does not run, and the future fails with
    ///     `CancellationError`.
    ///   - operation: Runs once, in a task. What it captures must be `Sendable`, other than with a closure that awaits.
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
    /// If it is canceled before it has begun, the closure does not run, unless it must.
    @inlinable @inline(never) @discardableResult
    func run(
        name: String?, priority: TaskPriority?, under token: CancelToken, _ operation: Operation<T>,
        mustRun: Bool = false
    ) -> Task<Void, Never> {
        let link = TaskLink.link(under: token)
        // A task that belongs to no actor needs no detour to begin on one.
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

    /// Runs the closure inside of a task that may be canceled.
    @inlinable
    func complete(with operation: Operation<T>, _ link: TaskLink?, mustRun: Bool) async {
        if !mustRun, Task.isCancelled || link?.isCancelled == true {
            link?.end()
            settle(.failure(CancellationError()))
        } else {
            await complete(with: operation, link)
        }
    }

    /// Runs the closure inside of the task.
    @inlinable @inline(__always)
    func complete(with operation: Operation<T>, _ link: TaskLink? = nil) async {
        let result: Try<T>
        do { result = .success(try await operation.run()) } catch { result = .failure(error) }
        link?.end()
        settle(result)
    }
}

extension Promise {
    /// Completes the future with what an asynchronous closure returns or throws, unless something else is first.
    ///
    /// A task runs the closure, as with `Future(name:priority:cancelToken:operation:)`. It keeps the
    /// future from being broken: the promise may be released meanwhile.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers, and the future's in `FuturesDiagnostics.pending`.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Cancels the task. The future is completed with whatever the closure then returns or throws. If
    ///     it has not begun yet it does not run, and the future fails with `CancellationError`.
    ///   - operation: Runs once, even if the future is completed already.
    /// - Returns: The task, to be canceled as by the token.
    @discardableResult
    public func completeWith(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> T
    ) -> Task<Void, Never> {
        // The task settles the future in every case, so that the producer need not be taken back.
        _ = future.gainProducer()
        return future.run(name: name, priority: priority, under: cancelToken, Operation(run: operation))
    }
}
