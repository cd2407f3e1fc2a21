/// Something that will run once in the future and can be canceled: a handler, a timer.
///
/// Dropping a registration leaves what was registered in place.
public struct Registration: Sendable {
    private let action: (@Sendable () -> Bool)?

    /// Creates a registration of something that will not run, or has run already: ``cancel()`` returns false.
    public init() { action = nil }

    /// Creates a registration for an execution context of your own.
    ///
    /// - Parameter cancel: Cancels what was registered and says whether it thereby has prevented it from running. It
    ///   may be called more than once, from any thread.
    public init(cancel: @escaping @Sendable () -> Bool) { action = cancel }

    /// Cancels what was registered, and releases it.
    ///
    /// - Returns: True when it will not run; false when it has run, is running, or was canceled before.
    @discardableResult
    public func cancel() -> Bool { action?() ?? false }
}
