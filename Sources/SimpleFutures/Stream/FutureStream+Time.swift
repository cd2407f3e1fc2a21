extension FutureStream {
    /// Returns a stream of the values that are followed by a pause.
    ///
    ///     let queries = searchField.edits.debounce(.milliseconds(300))
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
    public func debounce(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> FutureStream<T> {
        pace(Pacing(.debounce), duration, context, cancelToken)
    }

    /// Returns a stream that emits at most one value per time interval.
    ///
    ///     let positions = gps.positions.throttle(.seconds(1))
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
    public func throttle(
        _ duration: Duration, latest: Bool = true, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> FutureStream<T> {
        pace(Pacing(.throttle(keepsLatest: latest)), duration, context, cancelToken)
    }

    /// Returns a stream of the same elements that fails and finishes if the next one takes too long.
    ///
    ///     let beats = sensor.beats.timeout(.seconds(5))
    ///
    ///     elements      1   2   !               3
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
    ///     as the new stream has ended, or when it is released and has no subscribers.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func timeout(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<T> {
        let error = FuturesError.timedOut(after: duration, createdAt: CreationSite(fileID: fileID, line: line))
        return pace(Pacing(.timeout(error)), duration, context, cancelToken)
    }

    private func pace(
        _ pacing: consuming Pacing<T>, _ duration: Duration, _ context: any ExecutionContext, _ token: CancelToken
    ) -> FutureStream<T> {
        let derived = FutureStream(producedWith: capacity)
        let pacer = Pacer(pacing, duration, context, to: derived.core)
        pacer.begin()
        core.subscribe(.everything, under: token, target: derived.core) { event, _ in pacer.take(event) }
        derived.core.setWork { pacer.stop() }
        return derived
    }
}
