extension Future {
    /// Returns a future that succeeds when a time has passed.
    ///
    ///     Future.after(.seconds(60), value: "still there?", cancelToken: screen.closed)
    ///         .onSuccess { show($0) }
    ///
    /// The timer runs even if nobody holds the future any more, since callbacks may be registered on it. Where it can
    /// lose a race, pass a token and cancel that when the race is over; ``Futurable/timeout(_:context:cancelToken:fileID:line:)``
    /// does so by itself.
    ///
    /// - Parameters:
    ///   - duration: How long to wait. Zero or less means as soon as the context runs it.
    ///   - value: What to succeed with.
    ///   - context: Waits: its timers are used, so that a ``ManualContext`` needs no real time.
    ///   - cancelToken: Cancels the future, and frees the timer.
    public static func after(
        _ duration: Duration, value: T, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> Future<T> {
        let future = Future<T>()
        future.settle(after: duration, on: context, under: cancelToken) { target in
            unsafeDowncast(target, to: Future<T>.self).settle(.success(value))
        }
        return future
    }

    /// Returns a future that succeeds when a time has passed, with a value that has no label.
    ///
    /// It is ``after(_:value:context:cancelToken:)``.
    ///
    /// - Parameters:
    ///   - duration: How long to wait. Zero or less means as soon as the context runs it.
    ///   - value: What to succeed with.
    ///   - context: Waits: its timers are used, so that a ``ManualContext`` needs no real time.
    ///   - cancelToken: Cancels the future, and frees the timer.
    public static func after(
        _ duration: Duration, _ value: T, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> Future<T> {
        after(duration, value: value, context: context, cancelToken: cancelToken)
    }
}

extension Futurable {
    /// Returns a future of the same result, later.
    ///
    /// Value and error alike are held back. A cancellation is not.
    ///
    /// - Parameters:
    ///   - duration: How long after this one is completed the new one is. Zero or less means as soon as the context
    ///     runs it.
    ///   - context: Waits: its timers are used, so that a ``ManualContext`` needs no real time.
    ///   - cancelToken: When canceled, cancels the new future. ``CancelToken/cancel()`` does so while the time
    ///     runs too, and frees the timer; ``AnyFuture/cancel(_:)`` only as long as this one is pending.
    public func delay(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> Future<T> {
        let derived = Future<T>()
        let context = context.forWaiting
        asFuture(cancelToken: cancelToken).observe(.plumbing, under: cancelToken, leavingWith: derived) {
            source, target in
            guard let target else { return }
            guard source.settledResult(as: T.self) != nil else {
                target.cancelAsTarget()
                return
            }
            target.settle(after: duration, on: context, under: cancelToken) { target in
                guard let result = source.settledResult(as: T.self) else { return }
                unsafeDowncast(target, to: Future<T>.self).settle(result)
            }
        }
        return derived
    }

    /// Returns a future of the same result, or of ``FuturesError/timedOut(after:createdAt:)`` if it takes too long.
    ///
    /// The work behind it goes on; the new future is detached from it. To stop the work use
    /// ``timeout(_:cancelling:context:cancelToken:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - duration: How long to wait, from this call on. Zero or less means as soon as the context runs it.
    ///   - context: Waits: its timers are used, so that a ``ManualContext`` needs no real time. The timer is freed as
    ///     soon as the new future has ended, or when it has no subscribers and is released.
    ///   - cancelToken: Detaches the new future from this one; it is then canceled.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public func timeout(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<T> {
        timeout(duration, context, under: cancelToken, CreationSite(fileID: fileID, line: line)) {}
    }

    /// Returns a future of the same result, or of ``FuturesError/timedOut(after:createdAt:)`` if it takes too long; then the work is canceled.
    ///
    ///     // Three attempts of a second each, none of which is left running.
    ///     Future.retry(3, cancelToken: closed) {
    ///         let attempt = closed.child()
    ///         return client.load(url, cancelToken: attempt)
    ///             .timeout(.seconds(1), cancelling: attempt)
    ///     }
    ///
    /// First the new future fails, then the token is canceled; so it is a failure, which `retry` and `recover` handle,
    /// and no cancellation.
    ///
    /// - Parameters:
    ///   - duration: How long to wait, from this call on. Zero or less means as soon as the context runs it.
    ///   - token: What to cancel when the time has passed: the token that the work was started with.
    ///   - context: Waits: its timers are used, so that a ``ManualContext`` needs no real time. The timer is freed as
    ///     soon as the new future has ended, or when it has no subscribers and is released.
    ///   - cancelToken: Detaches the new future from this one; it is then canceled.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public func timeout(
        _ duration: Duration, cancelling token: CancelToken,
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<T> {
        timeout(duration, context, under: cancelToken, CreationSite(fileID: fileID, line: line)) { token.cancel() }
    }

    private func timeout(
        _ duration: Duration, _ context: any ExecutionContext, under cancelToken: CancelToken,
        _ site: CreationSite, _ elapsed: @escaping @Sendable () -> Void
    ) -> Future<T> {
        let source = asFuture(cancelToken: cancelToken)
        let derived = Future<T>()
        let lifeline = Lifeline(of: derived)
        let observer = LifelineObserver(lifeline) { source, target in forward(source, to: target, as: T.self) }
        source.observe(observer, under: cancelToken)
        guard derived.phase == .pending else { return derived }
        let timer = context.execute(after: duration) {
            if lifeline.future?.fail(FuturesError.timedOut(after: duration, createdAt: site)) == .accepted { elapsed() }
        }
        lifeline.atEnd { [weak source] in
            timer.cancel()
            source?.withdraw(observer)
        }
        return derived
    }
}

extension Future where T == Void {
    /// Returns a future that succeeds when a time has passed, without a value to tell.
    ///
    ///     Future.after(.seconds(60)).onSuccess { lock() }
    ///
    /// - Parameters:
    ///   - duration: How long to wait. Zero or less means as soon as the context runs it.
    ///   - context: Waits: its timers are used, so that a ``ManualContext`` needs no real time.
    ///   - cancelToken: Cancels the future, and frees the timer.
    public static func after(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> Future<Void> {
        after(duration, value: (), context: context, cancelToken: cancelToken)
    }
}

extension AnyFuture {
    /// Makes a timer of a context the producer of this future; it is freed when the future has ended, however it has.
    fileprivate final func settle(
        after duration: Duration, on context: any ExecutionContext, under token: CancelToken,
        _ body: @escaping @Sendable (AnyFuture) -> Void
    ) {
        let elapsed = Future<Void>()
        let timer = context.execute(after: duration) { elapsed.trySuccess() }
        elapsed.observe(.forwarding, under: token, target: self) { _, target in
            if let target { body(target) }
        }
        observe(.plumbing) { _, _ in timer.cancel() }
    }
}
