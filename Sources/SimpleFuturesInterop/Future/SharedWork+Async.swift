public import SimpleFutures

extension SharedWork {
    /// Creates an object that shares asynchronous work by key.
    ///
    ///     let images = SharedWork { url in try await network.image(at: url) }
    ///     let image = try await images.value(for: url)
    ///
    /// - Parameters:
    ///   - lifetime: How long a value is kept; nil means forever, zero not at all.
    ///   - gracePeriod: How long work continues without a caller.
    ///   - context: Runs the timers. With a `ManualContext`, waiting takes no real time.
    ///   - operation: Does the work for a key, in a task, which is canceled when the last caller has left. As with
    ///     `Task.init`, it is isolated to the caller's actor if it uses that, and on the main actor always.
    @inlinable
    public convenience init(
        keepingResultsFor lifetime: Duration? = .zero, gracePeriod: Duration = .zero,
        context: any ExecutionContext = QueueContext.futuresDefault,
        @_inheritActorContext operation: @escaping @Sendable (Key) async throws -> Value
    ) {
        self.init(keepingResultsFor: lifetime, gracePeriod: gracePeriod, context: context) { key, token in
            Future(cancelToken: token) { try await operation(key) }
        }
    }

    /// Waits for the result for a key.
    ///
    /// Starts the work unless it is already running or its value is kept.
    ///
    /// - Parameter key: The key.
    /// - Throws: The error of the work. If the task is canceled, `CancellationError` at once; the work is then canceled
    ///   too, if it has no other callers, and not started if the task was canceled before.
    @inlinable
    public func value(for key: Key) async throws -> Value {
        guard !Task.isCancelled else { throw taskCancellation() }
        return try await future(for: key).value
    }
}

extension SharedWork where Key == WithoutKey {
    /// Creates an object that shares one piece of asynchronous work.
    ///
    ///     let profile = SharedWork { try await network.profile(4) }
    ///
    /// - Parameters:
    ///   - lifetime: How long a value is kept; nil means forever, zero not at all.
    ///   - gracePeriod: How long work continues without a caller.
    ///   - context: Runs the timers. With a `ManualContext`, waiting takes no real time.
    ///   - operation: Does the work, in a task, which is canceled when the last caller has left. As with `Task.init`, it
    ///     is isolated to the caller's actor if it uses that, and on the main actor always.
    @inlinable
    public convenience init(
        keepingResultsFor lifetime: Duration? = .zero, gracePeriod: Duration = .zero,
        context: any ExecutionContext = QueueContext.futuresDefault,
        @_inheritActorContext operation: @escaping @Sendable () async throws -> Value
    ) {
        self.init(keepingResultsFor: lifetime, gracePeriod: gracePeriod, context: context) { _, token in
            Future(cancelToken: token) { try await operation() }
        }
    }

    /// Waits for the result.
    ///
    /// Starts the work unless it is already running or its value is kept.
    ///
    /// - Throws: The error of the work; `CancellationError` at once if the task is canceled. If it was canceled before, the
    ///   work is not started.
    @inlinable
    public func value() async throws -> Value {
        guard !Task.isCancelled else { throw taskCancellation() }
        return try await future().value
    }
}
