public import SimpleFutures

extension SharedWork {
    /// Creates a place for work that is shared by key, and that an asynchronous function does.
    ///
    ///     let images = SharedWork { url in try await network.image(at: url) }
    ///     let image = try await images.value(for: url)
    ///
    /// - Parameters:
    ///   - lifetime: How long a value is kept when it has come; nil means forever, zero not at all.
    ///   - gracePeriod: How long the work goes on when its last caller has left.
    ///   - context: Its timers are used, so that a `ManualContext` needs no real time.
    ///   - operation: Does the work for a key, in a task, which is canceled when its last caller has left.
    public convenience init(
        keepingResultsFor lifetime: Duration? = .zero, gracePeriod: Duration = .zero,
        context: any ExecutionContext = QueueContext.futuresDefault,
        operation: @escaping @Sendable (Key) async throws -> Value
    ) {
        self.init(keepingResultsFor: lifetime, gracePeriod: gracePeriod, context: context) { key, token in
            Future(cancelToken: token) { try await operation(key) }
        }
    }

    /// The result for a key, of work that is under way, or that is started.
    ///
    /// - Parameter key: The key.
    /// - Throws: What the work has failed with; `CancellationError` if the task is canceled, at once: then the work is
    ///   canceled, too, if nobody else wants its result.
    public func value(for key: Key) async throws -> Value { try await future(for: key).value }
}

extension SharedWork where Key == WithoutKey {
    /// Creates a place for one piece of work that is shared, and that an asynchronous function does.
    ///
    ///     let session = SharedWork { try await network.login() }
    ///
    /// - Parameters:
    ///   - lifetime: How long a value is kept when it has come; nil means forever, zero not at all.
    ///   - gracePeriod: How long the work goes on when its last caller has left.
    ///   - context: Its timers are used, so that a `ManualContext` needs no real time.
    ///   - operation: Does the work, in a task, which is canceled when its last caller has left.
    public convenience init(
        keepingResultsFor lifetime: Duration? = .zero, gracePeriod: Duration = .zero,
        context: any ExecutionContext = QueueContext.futuresDefault,
        operation: @escaping @Sendable () async throws -> Value
    ) {
        self.init(keepingResultsFor: lifetime, gracePeriod: gracePeriod, context: context) { _, token in
            Future(cancelToken: token) { try await operation() }
        }
    }

    /// The result, of work that is under way, or that is started.
    ///
    /// - Throws: What the work has failed with; `CancellationError` if the task is canceled, at once.
    public func value() async throws -> Value { try await future().value }
}
