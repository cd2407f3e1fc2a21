public import SimpleFutures

extension Future {
    /// Creates a future of an asynchronous closure's result, and starts the closure at once.
    ///
    ///     func profile() -> Future<Profile> {
    ///         .immediate {
    ///             let id = self.nextID()        // before profile() returns
    ///             return try await network.profile(id)
    ///         }
    ///     }
    ///
    /// Like `Future { … }`, but the closure begins before this call returns, and runs up to the first `await` that
    /// suspends. Use it for code whose first lines ran synchronously when it had a completion handler. A closure that
    /// is isolated to another actor than the caller's begins there later. It corresponds to Swift's `Task.immediate`
    /// (SE-0472).
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers, and the future's in `FuturesDiagnostics.pending`.
    ///   - priority: The task's priority. Nil takes that of the caller.
    ///   - cancelToken: Cancels the task. The future is completed with the closure's result. If the token is already
    ///     canceled, the closure does not run, and the future fails with `CancellationError`. Until the closure first
    ///     suspends, `Task.isCancelled` does not follow the token: check `isCancelled` of the token there.
    ///   - operation: Runs once.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    public static func immediate(
        name: String? = nil, priority: TaskPriority? = nil, cancelToken: CancelToken = .none,
        @_inheritActorContext @_implicitSelfCapture operation: sending @escaping @isolated(any) () async throws -> T
    ) -> Future<T> {
        let future = Future()
        if let name { future.named(name) }
        let operation = Operation(run: operation)
        let link = TaskLink.link(under: cancelToken)
        let task = startTaskImmediately(on: operation.isolation, name: name, priority: priority) { _ in
            await future.complete(with: operation, link, mustRun: false)
        }
        link?.run(task)
        future.setProducer(task)
        return future
    }
}
