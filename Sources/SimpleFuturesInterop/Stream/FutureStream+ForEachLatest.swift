import Dispatch
public import SimpleFutures

extension FutureStream {
    /// Runs an asynchronous closure with each value; a new value cancels the running call.
    ///
    ///     // Show the readings of the latest device, until they fail.
    ///     try await devices.forEachLatest { device in
    ///         for try await reading in device.readings().values { show(reading) }
    ///     }
    ///
    /// A nested loop cannot do this: while the inner loop waits, the code does not notice that the outer stream has
    /// failed.
    ///
    /// | event | the running call | then |
    /// |---|---|---|
    /// | the next value | is canceled; when it has returned, the next call begins | the loop continues |
    /// | the stream fails | is canceled | the error is thrown |
    /// | the stream finishes | is canceled, or runs to its end if `waitsForLast` | it returns |
    /// | the stream is canceled | is canceled | `CancellationError` is thrown |
    /// | the task is canceled | is canceled | `CancellationError` is thrown |
    /// | the closure throws | has ended | the error is thrown, and the stream is unsubscribed |
    ///
    /// It returns or throws when the last call has returned, so nothing runs afterwards. Errors of canceled calls are
    /// dropped.
    ///
    /// - Parameters:
    ///   - waitsForLast: Whether the call with the last value may run to its end when the stream finishes: right for a
    ///     search, wrong for a call that never ends, as above. Kotlin's `collectLatest` waits.
    ///   - body: Runs with each value that is not replaced by the next before it can start; on the caller's actor if it
    ///     uses that, in its own task.
    /// - Throws: The first failure of the stream or the closure's error; `CancellationError` if the stream or the task
    ///   is canceled.
    public func forEachLatest(
        waitsForLast: Bool = false,
        @_inheritActorContext @_implicitSelfCapture
        _ body: sending @escaping @isolated(any) (T) async throws -> Void
    ) async throws {
        try await forEachLatest(Transformation(run: body), waitsForLast: waitsForLast)
    }

    func forEachLatest(_ body: Transformation<T, Void>, waitsForLast: Bool) async throws {
        let relay = FutureStream<T>(producedWith: 0)
        // Only the newest can matter, and a failure is kept in any case.
        let (core, elements) = (relay.core, relay.subscription(buffering: .newest(1)))
        lead(to: core, under: .none, joins: false)
        var call: LatestCall?
        do {
            for try await value in elements {
                if let error = await call?.stop() { throw error }
                guard !Task.isCancelled else { throw taskCancellation() }
                call = LatestCall(body, value) { core.emit(error: $0) }
            }
            if !waitsForLast { await call?.stop() }
            try await call?.end()
        } catch {
            await call?.stop()
            throw error
        }
    }

    /// Runs an asynchronous closure, and cancels it when this stream fails: for example work that depends on a
    /// connection.
    ///
    ///     let page = try await connection.messages.runUntilFailure {
    ///         try await network.load(url)
    ///     }
    ///
    /// | event | the closure | then |
    /// |---|---|---|
    /// | it returns or throws | has ended | its result counts, and the stream is unsubscribed |
    /// | the stream fails | is canceled | when it has returned, the stream's error is thrown, whatever the closure returned |
    /// | the stream finishes | continues | its result counts |
    /// | the stream is canceled | is canceled | `CancellationError` is thrown |
    /// | the task is canceled | is canceled | its result counts |
    ///
    /// A replayed failure counts too; then the closure does not run.
    ///
    /// - Parameter operation: Runs once, on the caller's actor if it uses that, in its own task.
    /// - Returns: The closure's result.
    /// - Throws: The first failure of the stream, or the closure's error; `CancellationError` if the stream is
    ///   canceled, or the task before the closure has begun.
    public func runUntilFailure<Result: Sendable>(
        @_inheritActorContext @_implicitSelfCapture
        _ operation: sending @escaping @isolated(any) () async throws -> Result
    ) async throws -> Result {
        let (token, subscription, failure) = (CancelToken(), CancelToken(), Lock<(any Error)?>(nil))
        /// Returns whether it is the first.
        @Sendable func note(_ error: any Error) -> Bool {
            failure.withLock { failure in
                guard failure == nil else { return false }
                failure = error
                return true
            }
        }
        // The callback gets these too, but perhaps later: while another thread calls callbacks.
        var replayed: (any Error)?
        let end = core.end
        core.readHistory { replayed = replayed ?? $0.error }
        if replayed == nil, end == .cancellation { replayed = CancellationError() }
        if let replayed, note(replayed) { token.cancel() }
        core.subscribe([.failure, .cancellation], under: subscription) { event, _ in
            if note(event.error ?? CancellationError()) { token.cancel() }
        }
        defer { subscription.cancel() }
        do {
            let result = try await token.run(operation)
            if let error = failure.withLock({ $0 }) { throw error }
            return result
        } catch {
            throw failure.withLock { $0 } ?? error
        }
    }
}

/// A call of `forEachLatest`.
private final class LatestCall: Sendable {
    private let task: Task<Void, Never>
    private let state: Lock<State>

    private struct State: Sendable {
        var isStopped = false
        /// Whether the waiting task was canceled.
        var isCancelled = false
        var error: (any Error)?
    }

    /// - Parameter failed: Called with the body's error, unless the call was canceled.
    init<T: Sendable>(_ body: Transformation<T, Void>, _ value: T, _ failed: @escaping @Sendable (any Error) -> Void) {
        let state = Lock(State())
        self.state = state
        task = startTask(on: body.isolation, name: nil, priority: nil) { _ in
            guard !Task.isCancelled else { return }
            do {
                try await body.run(value)
            } catch {
                let counts = state.withLock { state in
                    if !state.isStopped { state.error = error }
                    return !state.isStopped
                }
                if counts { failed(error) }
            }
        }
    }

    /// Cancels the call and waits until it has returned, even in a canceled task.
    ///
    /// - Returns: The error with which it had failed before.
    @discardableResult
    func stop() async -> (any Error)? {
        let error = state.withLock { state in
            state.isStopped = true
            return state.error
        }
        task.cancel()
        await task.value
        return error
    }

    /// Waits until the call has returned.
    ///
    /// The call is canceled with the waiting task. Then it throws `CancellationError`, unless the call had failed before.
    func end() async throws {
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            state.withLock { ($0.isStopped, $0.isCancelled) = (true, true) }
            // The task's own handlers must run outside of this one (promise 5).
            DispatchQueue.global(qos: .userInitiated).async { [task] in task.cancel() }
        }
        let end = state.withLock { $0 }
        if let error = end.error { throw error }
        if end.isCancelled { throw taskCancellation() }
    }
}
