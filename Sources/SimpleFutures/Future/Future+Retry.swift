extension Future {
    /// Starts an operation repeatedly until one attempt succeeds.
    ///
    ///     let page = Future.retry(5, delay: .seconds(1), while: { $0 is URLError }) {
    ///         client.load(url)
    ///     }
    ///
    /// An attempt fails when its future fails or the closure throws. After the last attempt, or when `while:` returns
    /// false, the result fails with that error. A canceled attempt cancels the result. Only one attempt runs at a time.
    /// Dropping the result does not stop the attempts; the token does.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first. It must be positive.
    ///   - delay: How long to wait after a failure. Zero or less means not at all.
    ///   - context: Runs the closures and the timers. With a ``ManualContext``, waiting takes no real time.
    ///   - cancelToken: Cancels the result: no further attempt begins, and the timer is freed. The current attempt
    ///     continues, unless it uses the token too. If the token is canceled while `while:` runs, the answer still
    ///     counts: true cancels the result, false fails it.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - shouldRetry: Called with the error of each failed attempt except the last. False ends the attempts.
    ///   - make: Starts an attempt.
    public static func retry(
        _ attempts: Int, delay: Duration = .zero, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        _ make: @escaping @Sendable () throws -> Future<T>
    ) -> Future<T> {
        requireAttempts(attempts, fileID, line)
        return retry(
            attempts, Backoff.constant(delay), context, under: cancelToken, while: shouldRetry, make)
    }

    /// Starts an operation repeatedly until one attempt succeeds, with increasing delays.
    ///
    ///     let page = Future.retry(5, backoff: .exponential(.milliseconds(100)).jitter()) {
    ///         client.load(url)
    ///     }
    ///
    /// For the rest see ``retry(_:delay:context:cancelToken:fileID:line:while:_:)``.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first. It must be positive.
    ///   - backoff: Decides how long to wait after each failure.
    ///   - context: Runs the closures and the timers. With a ``ManualContext``, waiting takes no real time.
    ///   - cancelToken: Cancels the result: no further attempt begins, and the timer is freed.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    ///   - shouldRetry: Called with the error of each failed attempt except the last. False ends the attempts.
    ///   - make: Starts an attempt.
    public static func retry(
        _ attempts: Int, backoff: Backoff, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        _ make: @escaping @Sendable () throws -> Future<T>
    ) -> Future<T> {
        requireAttempts(attempts, fileID, line)
        return retry(attempts, backoff, context, under: cancelToken, while: shouldRetry, make)
    }

    /// Package hook.
    package static func requireAttempts(_ attempts: Int, _ fileID: StaticString, _ line: UInt) {
        require(
            attempts > 0,
            """
            `retry` needs at least 1 attempt but was given \(attempts). The count includes the first attempt.
            """, fileID, line)
    }

    private static func retry(
        _ attempts: Int, _ backoff: Backoff, _ context: any ExecutionContext, under cancelToken: CancelToken,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool,
        _ make: @escaping @Sendable () throws -> Future<T>
    ) -> Future<T> {
        let result = Future<T>()
        // When the result ends, for any reason, the current attempt is unsubscribed and the timer freed.
        let link = cancelToken.child()
        result.observe(.plumbing) { _, _ in link.cancel() }
        Retrying(
            attempts: attempts, backoff: backoff, context: context.forWaiting, link: link, shouldRetry: shouldRetry,
            make: make
        ).attempt(1, for: result)
        return result
    }
}

/// The parameters that all attempts share.
private struct Retrying<T: Sendable>: Sendable {
    let attempts: Int
    let backoff: Backoff
    let context: any ExecutionContext
    let link: CancelToken
    let shouldRetry: @Sendable (any Error) -> Bool
    let make: @Sendable () throws -> Future<T>

    func attempt(_ number: Int, for result: AnyFuture) {
        // Completed only after everything is registered: another thread may run the context, or advance its time, as
        // soon as a task waits there.
        let start = Promise<Void>()
        defer { start.success(()) }
        let made = start.future.flatMap(context: context, cancelToken: link, mapping: make)
        result.setUpstream(made)
        // After the last attempt `while:` is not called, so its failure needs no context.
        guard number < attempts else { return made.lead(to: result, under: link) }
        made.observe(.recovery, on: context, under: link, target: result) { made, result in
            guard let result else { return }
            guard let error = made.error else { return forward(made, to: result, as: T.self) }
            guard shouldRetry(error) else {
                _ = result.fail(error)
                return
            }
            wait(backoff.delay(number, error), before: number + 1, for: result)
        }
    }

    private func wait(_ delay: Duration, before number: Int, for result: AnyFuture) {
        guard delay > .zero else { return attempt(number, for: result) }
        Future<Void>.after(delay, context: context, cancelToken: link)
            .observe(.forwarding, under: link, target: result) { _, result in
                if let result { attempt(number, for: result) }
            }
    }
}
