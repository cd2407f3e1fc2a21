extension FutureStream {
    /// Returns a stream of the values after which there has been a pause.
    ///
    ///     let queries = searchField.edits.debounce(.milliseconds(300))
    ///
    /// A value that is followed by another one before the time has passed is left out. Failures are never held back nor
    /// left out: one comes at once, and before it the value that was waiting. So does the end, if this stream finishes;
    /// if it is canceled, what is waiting is not emitted.
    ///
    /// - Parameters:
    ///   - duration: How long the pause must be. Zero or less means as soon as the context runs it.
    ///   - context: Waits: its timers are used, so that a ``ManualContext`` needs no real time. The timer is freed as
    ///     soon as the new stream has ended or has no subscribers left.
    ///   - cancelToken: When canceled, cancels the new stream.
    public func debounce(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> FutureStream<T> {
        pace(Pacing(.debounce), duration, context, cancelToken)
    }

    /// Returns a stream that emits at most one value in a time.
    ///
    ///     let positions = gps.positions.throttle(.seconds(1))
    ///
    /// The first value comes at once. Of those that come before the time has passed the latest is emitted at its end,
    /// and the time begins anew. Failures are never held back nor left out: one comes at once, and before it the value
    /// that was waiting. So does the end, if this stream finishes; if it is canceled, what is waiting is not emitted.
    ///
    /// - Parameters:
    ///   - duration: How long after a value the next one may be emitted.
    ///   - latest: False leaves out all values that come too early, the latest too.
    ///   - context: Waits: its timers are used, so that a ``ManualContext`` needs no real time. The timer is freed as
    ///     soon as the new stream has ended or has no subscribers left.
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
    /// The time begins with this call, and anew with each element, a failure too. When it has passed, the new stream
    /// fails with ``FuturesError/timedOut(after:createdAt:)`` and finishes, and leaves this one. It ends as this one
    /// does, if that comes first. Combine's `timeout` finishes as well, but without an error unless it is given one.
    ///
    /// - Parameters:
    ///   - duration: How long to wait for an element. Zero or less means as soon as the context runs it.
    ///   - context: Waits: its timers are used, so that a ``ManualContext`` needs no real time. The timer is freed as
    ///     soon as the new stream has ended or has no subscribers left.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
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
