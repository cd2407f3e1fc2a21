/// An identity that nothing else in the process has.
///
/// SimpleFutures has it to name callbacks. This library keeps them in order and needs no names; the type is here for code
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
