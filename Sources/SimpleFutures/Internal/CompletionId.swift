/// An identity that is unique in the process.
///
/// SimpleFutures 0.2 identified callbacks with it. Callbacks are now kept in order and need no identity; the type
/// remains for code that uses it for its own purposes.
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
