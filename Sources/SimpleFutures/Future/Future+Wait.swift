import Dispatch

extension Future {
    /// Blocks the thread until the future has ended, and returns its value.
    ///
    /// For command-line tools and tests. In async code, `try await future.value` waits without blocking.
    ///
    /// Do not call it on a queue or thread that must do work before the future can complete, such as the main queue
    /// when a callback of the chain runs there: it would wait forever. Inside a callback of the library, it first runs
    /// the callbacks that are deferred until that callback returns, as long as the future is pending and there is time.
    /// It may exceed the timeout by one such callback.
    ///
    /// - Parameter timeout: The longest time to wait; nil means without limit.
    /// - Returns: The value.
    /// - Throws: The error of a failed future, `CancellationError` for a canceled one, or
    ///   ``FuturesError/timedOut(after:createdAt:)`` after the timeout.
    @available(*, noasync, message: "`wait()` blocks the thread; use `try await future.value` of SimpleFuturesInterop")
    @discardableResult
    public func wait(timeout: Duration? = nil) throws -> T {
        let deadline = timeout.map { DispatchTime.after($0) }
        if phase == .pending {
            Trampoline.runDeferred { self.phase == .pending && deadline.map { DispatchTime.now() < $0 } ?? true }
        }
        let settled = ThreadSignal()
        let waker = Waker()
        waker.set { _ in settled.open() }
        // If the waiter can no longer be removed after the deadline, the future was settled in the meantime.
        if add(waker), !settled.wait(until: deadline ?? .distantFuture), remove(waker) {
            throw FuturesError.timedOut(after: timeout, createdAt: nil)
        }
        guard let result = settledResult(as: T.self) else { throw CancellationError() }
        return try result.get()
    }
}
