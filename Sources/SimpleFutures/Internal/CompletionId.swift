/// An identity that nothing else in the process has.
///
/// SimpleFutures 0.2 named callbacks with it. They are kept in order now and need no names; the type is here for code
/// that names things of its own with it.
public struct CompletionId: Hashable, Sendable {
    private static let last = Lock<UInt64>(0)

    private let number: UInt64

    /// Creates a new identity.
    public init() {
        number = Self.last.withLock { last in
            last += 1
            return last
        }
    }
}
