/// A handle to cancel an action that will run once, such as a handler or a timer.
///
/// Dropping a registration does not cancel the action.
public struct Registration: Sendable {
    private let action: (@Sendable () -> Bool)?

    /// Creates a registration of an action that never runs or has already run: ``cancel()`` returns false.
    public init() { action = nil }

    /// Creates a registration for an execution context of your own.
    ///
    /// - Parameter cancel: Cancels the action and returns whether that prevented it from running. It may be called more
    ///   than once, from any thread.
    public init(cancel: @escaping @Sendable () -> Bool) { action = cancel }

    /// Cancels and releases the action.
    ///
    /// - Returns: True if the action will not run; false if it has run, is running, or was canceled before.
    @discardableResult
    public func cancel() -> Bool { action?() ?? false }
}
