/// The key of work that has none: see ``SharedWork``.
public struct WithoutKey: Hashable, Sendable {
    /// Creates the key.
    public init() {}
}

extension SharedWork where Key == WithoutKey {
    /// Creates a place for one piece of work that is shared.
    ///
    /// - Parameters:
    ///   - lifetime: How long a value is kept when it has come; nil means forever, zero not at all.
    ///   - gracePeriod: How long work goes on without a caller that waits for it.
    ///   - context: Its timers are used, so that a ``ManualContext`` needs no real time.
    ///   - work: Starts the work: on the thread of the first caller, once until it has ended. The token is canceled
    ///     when the last caller has left.
    public convenience init(
        keepingResultsFor lifetime: Duration? = .zero, gracePeriod: Duration = .zero,
        context: any ExecutionContext = QueueContext.futuresDefault,
        work: @escaping @Sendable (CancelToken) -> Future<Value>
    ) {
        self.init(keepingResultsFor: lifetime, gracePeriod: gracePeriod, context: context) { _, token in work(token) }
    }

    /// Returns a future of the result; the work is started if it is not under way.
    ///
    /// - Parameter cancelToken: Cancels the returned future. Other callers, and the work for them, go on.
    @inlinable
    public func future(cancelToken: CancelToken = .none) -> Future<Value> {
        future(for: WithoutKey(), cancelToken: cancelToken)
    }

    /// Forgets the work and the value that is kept: the next call starts the work anew.
    public func forget() { forget(WithoutKey()) }
}
