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

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    @inlinable
    public var _route: _Route { .immediate }
}
