extension Future {
    /// Makes a future again and again, until one succeeds.
    ///
    ///     let page = Future.retry(5, delay: .seconds(1), while: { $0 is NetworkError }) {
    ///         load(url)
    ///     }
    ///
    /// An attempt has failed when its future fails, or the closure throws. When that was the last one, or `while:` says
    /// that another would be in vain, the result fails with the error. A canceled attempt cancels the result. At any
    /// time at most one attempt is under way. Dropping the result does not stop the attempts; the token does.
    ///
    /// - Parameters:
    ///   - attempts: How many to make at the most, the first included. It must be positive.
    ///   - delay: How long to wait after a failure. Zero or less means not at all.
    ///   - context: Where the closures run, and which waits: its timers are used, so that a ``ManualContext`` needs no
    ///     real time.
    ///   - cancelToken: Cancels the result: no further attempt begins, and the timer is freed. The attempt that is
    ///     under way goes on, unless it uses the token too. While `while:` is being asked its answer comes first: true
    ///     cancels the result then, and false fails it.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    ///   - shouldRetry: Called with the error of each failed attempt but the last; false ends it.
    ///   - make: Makes an attempt.
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

    /// Makes a future again and again, until one succeeds, waiting longer and longer in between.
    ///
    ///     let page = Future.retry(5, backoff: .exponential(.milliseconds(100)).jitter()) {
    ///         load(url)
    ///     }
    ///
    /// For the rest see ``retry(_:delay:context:cancelToken:fileID:line:while:_:)``.
    ///
    /// - Parameters:
    ///   - attempts: How many to make at the most, the first included. It must be positive.
    ///   - backoff: How long to wait after each failure.
    ///   - context: Where the closures run, and which waits: its timers are used, so that a ``ManualContext`` needs no
    ///     real time.
    ///   - cancelToken: Cancels the result: no further attempt begins, and the timer is freed.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    ///   - shouldRetry: Called with the error of each failed attempt but the last; false ends it.
    ///   - make: Makes an attempt.
    public static func retry(
        _ attempts: Int, backoff: Backoff, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        _ make: @escaping @Sendable () throws -> Future<T>
    ) -> Future<T> {
        requireAttempts(attempts, fileID, line)
        return retry(attempts, backoff, context, under: cancelToken, while: shouldRetry, make)
    }

    private static func requireAttempts(_ attempts: Int, _ fileID: StaticString, _ line: UInt) {
        require(
            attempts > 0,
            """
            `retry` was given \(attempts) attempts; at least 1 must be made. Count the first one too, not only repetitions.
            """, fileID, line)
    }

    private static func retry(
        _ attempts: Int, _ backoff: Backoff, _ context: any ExecutionContext, under cancelToken: CancelToken,
        while shouldRetry: @escaping @Sendable (any Error) -> Bool,
        _ make: @escaping @Sendable () throws -> Future<T>
    ) -> Future<T> {
        let result = Future<T>()
        // What is under way is cut off however the result ends, so that no timer outlives it.
        let link = cancelToken.child()
        result.observe(.plumbing) { _, _ in link.cancel() }
        Retrying(
            attempts: attempts, backoff: backoff, context: context.forWaiting, link: link, shouldRetry: shouldRetry,
            make: make
        ).attempt(1, for: result)
        return result
    }
}

/// What the attempts have in common.
private struct Retrying<T: Sendable>: Sendable {
    let attempts: Int
    let backoff: Backoff
    let context: any ExecutionContext
    let link: CancelToken
    let shouldRetry: @Sendable (any Error) -> Bool
    let make: @Sendable () throws -> Future<T>

    func attempt(_ number: Int, for result: AnyFuture) {
        // Completed when all is registered: another thread may run the context and its time as soon as something waits there.
        let start = Promise<Void>()
        defer { start.success(()) }
        let made = start.future.flatMap(context: context, cancelToken: link, mapping: make)
        // After the last one there is nothing to ask, so its failure needs no context.
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
