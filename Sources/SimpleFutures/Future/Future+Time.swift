extension Future {
    /// Returns a future that succeeds after a given time.
    ///
    ///     Future.after(.seconds(60), value: "still there?", cancelToken: token)
    ///         .onSuccess(isolated: { show($0) })
    ///
    /// The timer is freed when the future is released and has no subscribers. To stop it earlier, pass a token and
    /// cancel it.
    ///
    /// - Parameters:
    ///   - duration: How long to wait. Zero or less means as soon as the context runs it. Time in which the device
    ///     sleeps does not count, unless the context is a `ClockContext(.continuous)` of SimpleFuturesInterop.
    ///   - value: The value of the future.
    ///   - context: Runs the timer. With a ``ManualContext``, waiting takes no real time.
    ///   - cancelToken: Cancels the future, and frees the timer.
    @inlinable
    public static func after(
        _ duration: Duration, value: T, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> Future<T> {
        let future = Future<T>()
        future.settle(after: duration, on: context, under: cancelToken) { target in
            target.future(of: T.self).settle(.success(value))
        }
        return future
    }

    /// Returns a future that succeeds after a given time, with an unlabeled value.
    ///
    /// Same as ``after(_:value:context:cancelToken:)``.
    ///
    /// - Parameters:
    ///   - duration: How long to wait. Zero or less means as soon as the context runs it. Time in which the device
    ///     sleeps does not count, unless the context is a `ClockContext(.continuous)` of SimpleFuturesInterop.
    ///   - value: The value of the future.
    ///   - context: Runs the timer. With a ``ManualContext``, waiting takes no real time.
    ///   - cancelToken: Cancels the future, and frees the timer.
    @inlinable
    public static func after(
        _ duration: Duration, _ value: T, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> Future<T> {
        after(duration, value: value, context: context, cancelToken: cancelToken)
    }
}

extension Futurable {
    /// Returns a future of the same result, delivered after a delay.
    ///
    /// Values and errors are delayed; a cancellation is not.
    ///
    /// - Parameters:
    ///   - duration: How long to wait, from the completion of this future on; from this call on if it is completed
    ///     already. Zero or less means as soon as the context runs it.
    ///   - context: Runs the timer. With a ``ManualContext``, waiting takes no real time. The timer is freed when the
    ///     new future has ended, or when it is released and has no subscribers.
    ///   - cancelToken: When canceled, cancels the new future. ``CancelToken/cancel()`` also does so during the delay,
    ///     and frees the timer; ``AnyFuture/cancel(_:)`` only while this future is pending.
    @inlinable
    public func delay(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> Future<T> {
        let derived = Future<T>()
        asFuture(cancelToken: cancelToken).lead(
            to: derived, after: duration, on: context, under: cancelToken,
            forwarding: { forward($0, to: $1, as: T.self) })
        return derived
    }

    /// Returns a future of the same result, or a failure with ``FuturesError/timedOut(after:createdAt:)`` if it takes
    /// too long.
    ///
    /// After a timeout the work continues, without a link to the new future. To stop the work use
    /// ``timeout(_:cancelling:context:cancelToken:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - duration: How long to wait, from this call on. Zero or less means as soon as the context runs it.
    ///   - context: Runs the timer. With a ``ManualContext``, waiting takes no real time. The timer is freed as soon as
    ///     the new future has ended, or when it is released and has no subscribers. If the context drops it, there is no
    ///     timeout.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    @inlinable
    public func timeout(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<T> {
        let derived = Future<T>()
        asFuture(cancelToken: cancelToken).lead(
            to: derived, within: duration, on: context, under: cancelToken, CreationSite(fileID: fileID, line: line),
            forwarding: { forward($0, to: $1, as: T.self) })
        return derived
    }

    /// Returns a future of the same result; if it takes too long, fails with
    /// ``FuturesError/timedOut(after:createdAt:)`` and cancels the work.
    ///
    ///     // Three attempts of a second each, none of which is left running.
    ///     let page = Future.retry(3, cancelToken: token) {
    ///         let attempt = token.child()
    ///         return client.load(url, cancelToken: attempt)
    ///             .timeout(.seconds(1), cancelling: attempt)
    ///     }
    ///
    /// The new future fails first, then the token is canceled. So a timeout is a failure, which `retry` and `recover`
    /// handle, and not a cancellation.
    ///
    /// - Parameters:
    ///   - duration: How long to wait, from this call on. Zero or less means as soon as the context runs it.
    ///   - token: The token to cancel after a timeout: the token that the work was started with. It stays canceled, so
    ///     pass one that only this work uses, such as a child of the token of a screen.
    ///   - context: Runs the timer. With a ``ManualContext``, waiting takes no real time. The timer is freed as soon as
    ///     the new future has ended, or when it is released and has no subscribers. If the context drops it, there is no
    ///     timeout.
    ///   - cancelToken: When canceled, cancels the new future.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    @inlinable
    public func timeout(
        _ duration: Duration, cancelling token: CancelToken,
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<T> {
        let derived = Future<T>()
        asFuture(cancelToken: cancelToken).lead(
            to: derived, within: duration, on: context, under: cancelToken, CreationSite(fileID: fileID, line: line),
            forwarding: { forward($0, to: $1, as: T.self) }, elapsed: { token.cancel() })
        return derived
    }
}

extension Future where T == Void {
    /// Returns a future without a value that succeeds after a given time.
    ///
    ///     Future.after(.seconds(60)).onSuccess(isolated: { spinner.stop() })
    ///
    /// - Parameters:
    ///   - duration: How long to wait. Zero or less means as soon as the context runs it.
    ///   - context: Runs the timer. With a ``ManualContext``, waiting takes no real time.
    ///   - cancelToken: Cancels the future, and frees the timer.
    public static func after(
        _ duration: Duration, context: any ExecutionContext = QueueContext.futuresDefault,
        cancelToken: CancelToken = .none
    ) -> Future<Void> {
        after(duration, value: (), context: context, cancelToken: cancelToken)
    }
}

extension AnyFuture {
    /// Lets the target end like this future, or fail if it takes too long.
    @usableFromInline
    final func lead(
        to target: AnyFuture, within duration: Duration, on context: any ExecutionContext, under token: CancelToken,
        _ site: CreationSite, forwarding forward: @escaping ObserverBody,
        elapsed: @escaping @Sendable () -> Void = {}
    ) {
        let lifeline = Lifeline(of: target)
        let observer = LifelineObserver(lifeline, .forwarding, forward)
        observe(observer, under: token)
        guard target.phase == .pending else { return }
        let timer = context.execute(after: duration) {
            if lifeline.future?.fail(FuturesError.timedOut(after: duration, createdAt: site)) == .accepted { elapsed() }
        }
        lifeline.atEnd { [weak self] in
            Trampoline.afterUnsubscribing { timer.cancel() }
            self?.withdraw(observer)
        }
    }

    /// Lets the target end like this future, some time later.
    @usableFromInline
    final func lead(
        to target: AnyFuture, after duration: Duration, on context: any ExecutionContext, under token: CancelToken,
        forwarding forward: @escaping ObserverBody
    ) {
        let context = context.forWaiting
        observe(.plumbing, under: token, leavingWith: target) { source, target in
            guard let target else { return }
            guard source.phase != .cancelled else {
                target.cancelAsTarget()
                return
            }
            target.settle(after: duration, on: context, under: token) { target in
                if source.phase == .succeeded { forward(source, target) } else { target.end(like: source) }
            }
        }
    }

    /// Adds a timer as the producer of this future.
    ///
    /// The timer is freed when the future ends for any reason, or is released and has no subscribers (promise 8).
    @usableFromInline
    final func settle(
        after duration: Duration, on context: any ExecutionContext, under token: CancelToken,
        _ body: @escaping @Sendable (AnyFuture) -> Void
    ) {
        let (lifeline, elapsed) = (Lifeline(of: self, ownObservers: 0), Future<Void>())
        let observer = LifelineObserver(lifeline) { _, target in
            if let target { body(target) }
        }
        elapsed.observe(observer, under: token)
        let timer = context.execute(after: duration) { elapsed.trySuccess() }
        // Weak, so that the future breaks if the context drops the timer.
        lifeline.atEnd { [weak elapsed] in
            Trampoline.afterUnsubscribing { timer.cancel() }
            elapsed?.withdraw(observer)
        }
    }
}
