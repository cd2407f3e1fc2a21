extension FutureStream {
    /// Returns a stream of the values that are followed by a pause.
    ///
    ///     let queries = edits.debounce(.milliseconds(300))
    ///
    /// A value that is followed by another one before the pause is over is dropped. A failure is emitted at once, after
    /// the waiting value. When this stream finishes, the waiting value is emitted at once too; when it is canceled, the
    /// waiting value is dropped.
    ///
    /// - Parameters:
    ///   - duration: How long the pause must be. Zero or less means as soon as the context runs it.
    ///   - context: Runs the timers. With a ``ManualContext``, waiting takes no real time. The timer is freed as soon
    ///     as the new stream has ended, or when it is released and has no subscribers. If the context drops it, the new
    ///     stream gets ``FuturesError/brokenPromise(createdAt:)`` and finishes.
    ///   - cancelToken: When canceled, cancels the new stream.
    @inlinable
    public func debounce(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> FutureStream<T> {
        pace(.debounce, duration, context, cancelToken)
    }

    /// Returns a stream that emits at most one value per time interval.
    ///
    ///     let fewer = positions.throttle(.seconds(1))
    ///
    /// The first value is emitted at once and starts an interval. At the end of the interval the latest value that has
    /// arrived is emitted, and starts a new one. A failure is emitted at once, after the waiting value, so that an
    /// interval with failures may have several values. When this stream finishes, the waiting value is emitted at once
    /// too; when it is canceled, the waiting value is dropped.
    ///
    /// - Parameters:
    ///   - duration: The length of the interval. Zero or less means that it ends as soon as the context runs its timer.
    ///   - latest: False drops all values that arrive during an interval, including the latest.
    ///   - context: Runs the timers. With a ``ManualContext``, waiting takes no real time. The timer is freed as soon
    ///     as the new stream has ended, or when it is released and has no subscribers. If the context drops it, the new
    ///     stream gets ``FuturesError/brokenPromise(createdAt:)`` and finishes.
    ///   - cancelToken: When canceled, cancels the new stream.
    @inlinable
    public func throttle(
        _ duration: Duration, latest: Bool = true, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> FutureStream<T> {
        pace(.throttle(keepsLatest: latest), duration, context, cancelToken)
    }

    /// Returns a stream of the same elements that fails and finishes if the next one takes too long.
    ///
    ///     let live = positions.timeout(.seconds(5))
    ///
    ///     elements      1   2   !               3  |
    ///     new stream    1   2   !       timedOut|
    ///
    /// The time starts with this call, and restarts with each element, including failures. When it is over, the new
    /// stream fails with ``FuturesError/timedOut(after:createdAt:)``, finishes, and unsubscribes from this one.
    /// Otherwise it ends like this stream. Combine's `timeout` also finishes, but without an error unless it is given
    /// one.
    ///
    /// - Parameters:
    ///   - duration: How long to wait for an element. Zero or less means as soon as the context runs it.
    ///   - context: Runs the timers. With a ``ManualContext``, waiting takes no real time. The timer is freed as soon
    ///     as the new stream has ended, or when it is released and has no subscribers. If the context drops it, there
    ///     is no timeout.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    @inlinable
    public func timeout(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<T> {
        let error = FuturesError.timedOut(after: duration, createdAt: CreationSite(fileID: fileID, line: line))
        return pace(.timeout(error), duration, context, cancelToken)
    }

    @inlinable
    func pace(
        _ rule: PacingRule, _ duration: Duration, _ context: any ExecutionContext, _ token: CancelToken
    ) -> FutureStream<T> {
        let derived = FutureStream(producedWith: capacity)
        core.pace(rule, duration, context, token, into: derived.core) { event in
            let element = event.result(as: T.self)
            return { $0.pass(element) }
        }
        return derived
    }
}

extension StreamCore {
    /// Emits elements into another stream, by a rule.
    ///
    /// - Parameter hold: Takes an element out of an event.
    @usableFromInline
    func pace(
        _ rule: PacingRule, _ duration: Duration, _ context: any ExecutionContext, _ token: CancelToken,
        into target: StreamCore, holding hold: @escaping @Sendable (StreamEvent) -> PacedElement
    ) {
        let pacer = Pacer(Pacing(rule, hold), duration, context, to: target)
        pacer.begin()
        subscribe(.everything, under: token, target: target) { event, _ in pacer.take(event) }
        target.setWork(pacer)
    }
}
