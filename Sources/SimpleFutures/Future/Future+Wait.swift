import Dispatch

extension Future {
    /// Blocks the thread until there is a result, and returns it.
    ///
    /// For command-line tools and tests. In async code, `try await future.value` waits without blocking.
    ///
    /// Do not call it on a queue or thread that must do something for the future to be completed, such as the main
    /// queue when a callback of the chain runs there: it would wait forever. Called inside a callback of the library
    /// it first runs what was to run when that callback returns, as long as there is time and the result is not there.
    /// It may exceed the timeout by one such callback.
    ///
    /// - Parameter timeout: How long to wait at the most; nil means as long as it takes.
    /// - Returns: The value.
    /// - Throws: The error of a failed future, `CancellationError` for a canceled one, ``FuturesError/timedOut(after:createdAt:)`` when
    ///   the time has passed.
    @available(*, noasync, message: "`wait()` blocks the thread; use `try await future.value` of SimpleFuturesInterop")
    @discardableResult
    public func wait(timeout: Duration? = nil) throws -> T {
        let deadline = timeout.map { DispatchTime.after($0) }
        if phase == .pending {
            Trampoline.runDeferred { phase == .pending && deadline.map { DispatchTime.now() < $0 } ?? true }
        }
        let settled = DispatchSemaphore(value: 0)
        let waker = Waker()
        waker.set { _ in settled.signal() }
        if add(waker) {
            if let deadline {
                // If it has been settled meanwhile, the result is there.
                if settled.wait(timeout: deadline) == .timedOut, remove(waker) {
                    throw FuturesError.timedOut(after: timeout, createdAt: nil)
                }
            } else {
                settled.wait()
            }
        }
        guard let result = settledResult(as: T.self) else { throw CancellationError() }
        return try result.get()
    }
}
