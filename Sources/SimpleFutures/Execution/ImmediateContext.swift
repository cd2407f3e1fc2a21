/// Runs callbacks at once, on the thread that completes the future or, if it is completed, on the one that registers.
///
/// "At once" means before the completing or registering call returns, with two exceptions that keep order and stack: if
/// another thread is delivering that future, it runs the callback next; if the call is made inside a callback of the
/// library, the new callback runs when that one returns.
///
/// It is the right context for short code that needs no particular thread, and for tests.
@frozen
public struct ImmediateContext: ExecutionContext {
    /// Creates a context; all of them are alike.
    @inlinable
    public init() {}

    /// Runs the task before it returns.
    @preconcurrency
    public func execute(_ task: @escaping @Sendable () -> Void) { task() }

    /// Runs the callbacks that wait on this thread until the callback that runs now returns.
    ///
    /// For code that runs an event loop inside a callback of the library: a modal dialog, or `RunLoop.main.run(until:)`.
    /// What is completed meanwhile by a timer or by a delegate would be delivered when the dialog is closed. Call this
    /// in the handler that completes it:
    ///
    ///     answer.onSuccess { _ in
    ///         let timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in
    ///             ticks.success(.now)
    ///             ImmediateContext.runPending()
    ///         }
    ///         alert.runModal()
    ///         timer.invalidate()
    ///     }
    ///
    /// Callbacks that a `DispatchQueue` or an actor runs inside of the event loop need no call; nor does `wait`, which
    /// does the same. The callbacks run before it returns, oldest first. Outside of callbacks of the library nothing
    /// waits, and the call does nothing.
    public static func runPending() { Trampoline.runDeferred() }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    @inlinable
    public var _route: _Route { .immediate }
}
