/// Runs callbacks at once, on the thread that completes the future or, if it is already completed, on the thread that
/// registers.
///
/// "At once" means before the completing or registering call returns, with two exceptions that preserve order and stack
/// depth. If another thread is running callbacks of that future, that thread runs the new callback next. If the call is
/// made inside a callback of the library, the new callback runs when that callback returns.
///
/// If other threads add callbacks or elements faster than the running thread delivers them, it hands the rest over to a
/// global queue after 64 of them. Callbacks that a thread adds by itself never leave it.
///
/// Use it for short code that needs no particular thread, and for tests.
@frozen
public struct ImmediateContext: ExecutionContext, Hashable {
    /// Creates a context.
    ///
    /// All immediate contexts are equal.
    @inlinable
    public init() {}

    /// Runs the task before it returns.
    @preconcurrency
    public func execute(_ task: @escaping @Sendable () -> Void) { task() }

    /// Runs the callbacks that are deferred on this thread until the current callback returns.
    ///
    /// Use it in code that runs an event loop inside a callback of the library: a modal dialog, or
    /// `RunLoop.main.run(until:)`. Without it, futures completed by a timer or a delegate during the dialog would
    /// deliver their results only after the dialog closes. Call it in the handler that completes them:
    ///
    ///     answer.onSuccess(isolated: { _ in
    ///         let timer = Timer(timeInterval: 1, repeats: true) { _ in
    ///             ticks.success(.now)
    ///             ImmediateContext.runPending()
    ///         }
    ///         RunLoop.main.add(timer, forMode: .common)    // the default mode does not run during a dialog
    ///         alert.runModal()
    ///         timer.invalidate()
    ///     })
    ///
    /// Callbacks that other queues and actors run need no call. The main queue and the main actor run nothing while one
    /// of their own callbacks runs an event loop, as here: callbacks on them wait until the dialog is closed. If the
    /// dialog needs them, let the run loop begin it, outside of the callback:
    ///
    ///     RunLoop.main.perform(inModes: [.common]) {
    ///         MainActor.assumeIsolated { _ = alert.runModal() }
    ///     }
    ///
    /// The callbacks run before this returns, oldest first. After 10,000 it may leave the rest to the next call, so that
    /// it returns even if other threads add more all the time. Outside callbacks of the library nothing is deferred,
    /// and the call does nothing. `wait` needs no call, because it does the same.
    public static func runPending() {
        // The library asks at most six times for each callback.
        var left = 60_000
        Trampoline.runDeferred {
            left -= 1
            return left >= 0
        }
    }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    @inlinable
    public var _route: _Route { .immediate }
}

/// A short name for arguments: `map(context: .immediate) { … }`.
extension ExecutionContext where Self == ImmediateContext {
    /// ``ImmediateContext``, as an argument.
    @_disfavoredOverload @inlinable
    public static var immediate: ImmediateContext { ImmediateContext() }
}
