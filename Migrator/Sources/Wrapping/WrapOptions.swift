/// Options for the overloads that `wrap` writes.
public struct WrapOptions: Sendable {
    /// Whether to write the async overload too.
    public var async: Bool
    /// Whether to turn old bodies into shells, where the implementation is async.
    public var callback: Bool
    /// Whether to draft classes for delegates.
    public var delegates: Bool
    /// The functions to wrap, by base name or full name; all of them if empty.
    public var only: Set<String>

    /// Creates options.
    public init(async: Bool = false, callback: Bool = false, delegates: Bool = false, only: Set<String> = []) {
        self.async = async
        self.callback = callback
        self.delegates = delegates
        self.only = only
    }
}
