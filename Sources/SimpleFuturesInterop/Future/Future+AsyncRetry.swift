public import SimpleFutures

extension Future {
    /// Calls an asynchronous closure repeatedly until it returns a value.
    ///
    ///     let page = Future.retry(5, delay: .seconds(1), while: { $0 is URLError }) {
    ///         try await network.load(url)
    ///     }
    ///
    /// One task makes all attempts, one after the other. As with `Future(operation:)`, the closure is isolated to the
    /// caller's actor if it uses that, and the task inherits the caller's priority and task-local values. After the
    /// last attempt, or when `while:` returns false, the future fails with the error of that attempt. Releasing the
    /// future does not stop the attempts; the token does. An attempt that throws `CancellationError` has failed like
    /// any other.
    ///
    /// When the token is canceled, `onFailure` usually runs, with `CancellationError`. With the `retry` whose closure
    /// returns a future, only `onCancel` runs.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first. It must be positive.
    ///   - delay: How long to wait after a failure. Zero or less means not at all.
    ///   - context: Runs the timers. With a `ManualContext`, waiting takes no real time.
    ///   - cancelToken: Cancels the task, and with it the current attempt: no further attempt begins, and the future is
    ///     completed with the outcome of that attempt, or with `CancellationError`.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - shouldRetry: Called in the task with the error of each failed attempt except the last. False ends the attempts.
    ///   - operation: Makes an attempt.
    @_disfavoredOverload
    public static func retry(
        _ attempts: Int, delay: Duration = .zero, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        @_inheritActorContext @_implicitSelfCapture
        operation: @escaping @isolated(any) @Sendable () async throws -> T
    ) -> Future<T> {
        retry(
            attempts, backoff: .constant(delay), context: context, cancelToken: cancelToken, fileID: fileID, line: line,
            while: shouldRetry, operation: operation)
    }

    /// Calls an asynchronous closure repeatedly until it returns a value, with increasing delays.
    ///
    ///     let page = Future.retry(5, backoff: .exponential(.milliseconds(100)).jitter()) {
    ///         try await network.load(url)
    ///     }
    ///
    /// For the rest see ``retry(_:delay:context:cancelToken:fileID:line:while:operation:)``.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first. It must be positive.
    ///   - backoff: Decides how long to wait after each failure.
    ///   - context: Runs the timers. With a `ManualContext`, waiting takes no real time.
    ///   - cancelToken: Cancels the task, and with it the current attempt.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - shouldRetry: Called in the task with the error of each failed attempt except the last. False ends the attempts.
    ///   - operation: Makes an attempt.
    @_disfavoredOverload
    public static func retry(
        _ attempts: Int, backoff: Backoff, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        @_inheritActorContext @_implicitSelfCapture
        operation: @escaping @isolated(any) @Sendable () async throws -> T
    ) -> Future<T> {
        requireAttempts(attempts, fileID, line)
        let context = context.forWaiting
        return Future(cancelToken: cancelToken) {
            for attempt in 1..<attempts {
                do { return try await operation() } catch {
                    let error = original(error)
                    guard !cancelToken.isCancelled, shouldRetry(error) else { throw error }
                    let delay = backoff.delay(attempt, error)
                    if delay > .zero {
                        try await Future<Void>.after(delay, context: context, cancelToken: cancelToken).value
                    }
                    // The closures, or what was due at the same time as the timer, may have canceled the token. The
                    // token itself is asked, because in a callback of the library it cancels the task only at its end.
                    guard !cancelToken.isCancelled else { throw taskCancellation() }
                }
            }
            return try await operation()
        }
    }
}

// Without these, `retry` would take a closure that returns a future for one that awaits, and succeed at once: with a
// typed future as its value, or, of a `Void`, with none.

extension Future {
    /// Starts an operation with typed errors repeatedly until one attempt succeeds.
    @_documentation(visibility: internal)
    public static func retry<Failure: Error>(
        _ attempts: Int, delay: Duration = .zero, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        _ make: @escaping @Sendable () throws -> TypedFuture<T, Failure>
    ) -> Future<T> {
        retry(
            attempts, delay: delay, context: context, cancelToken: cancelToken, fileID: fileID, line: line,
            while: shouldRetry, { () -> Future<T> in try make().future })
    }

    /// Starts an operation with typed errors repeatedly until one attempt succeeds, with increasing delays.
    @_documentation(visibility: internal)
    public static func retry<Failure: Error>(
        _ attempts: Int, backoff: Backoff, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        _ make: @escaping @Sendable () throws -> TypedFuture<T, Failure>
    ) -> Future<T> {
        retry(
            attempts, backoff: backoff, context: context, cancelToken: cancelToken, fileID: fileID, line: line,
            while: shouldRetry, { () -> Future<T> in try make().future })
    }
}

extension Future where T == Void {
    /// Starts an operation repeatedly until one attempt succeeds, and ignores its value.
    @_documentation(visibility: internal)
    public static func retry<Value: Sendable>(
        _ attempts: Int, delay: Duration = .zero, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        _ make: @escaping @Sendable () throws -> Future<Value>
    ) -> Future<Void> {
        Future<Value>.retry(
            attempts, delay: delay, context: context, cancelToken: cancelToken, fileID: fileID, line: line,
            while: shouldRetry, make
        ).asVoid()
    }

    /// Starts an operation repeatedly until one attempt succeeds, with increasing delays, and ignores its value.
    @_documentation(visibility: internal)
    public static func retry<Value: Sendable>(
        _ attempts: Int, backoff: Backoff, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        _ make: @escaping @Sendable () throws -> Future<Value>
    ) -> Future<Void> {
        Future<Value>.retry(
            attempts, backoff: backoff, context: context, cancelToken: cancelToken, fileID: fileID, line: line,
            while: shouldRetry, make
        ).asVoid()
    }

    /// Starts an operation with typed errors repeatedly until one attempt succeeds, and ignores its value.
    @_documentation(visibility: internal) @_disfavoredOverload
    public static func retry<Value: Sendable, Failure: Error>(
        _ attempts: Int, delay: Duration = .zero, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        _ make: @escaping @Sendable () throws -> TypedFuture<Value, Failure>
    ) -> Future<Void> {
        retry(
            attempts, delay: delay, context: context, cancelToken: cancelToken, fileID: fileID, line: line,
            while: shouldRetry, { () -> Future<Value> in try make().future })
    }

    /// Starts an operation with typed errors repeatedly until one attempt succeeds, with increasing delays, and ignores
    /// its value.
    @_documentation(visibility: internal) @_disfavoredOverload
    public static func retry<Value: Sendable, Failure: Error>(
        _ attempts: Int, backoff: Backoff, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        _ make: @escaping @Sendable () throws -> TypedFuture<Value, Failure>
    ) -> Future<Void> {
        retry(
            attempts, backoff: backoff, context: context, cancelToken: cancelToken, fileID: fileID, line: line,
            while: shouldRetry, { () -> Future<Value> in try make().future })
    }
}
